// SPDX-License-Identifier: MIT
/* What a device's codes mean: tables that programs can read and change. */
#include <linux/input.h>
#include <linux/kernel.h>

#include "input_core.h"

int input_scancode_to_scalar(const struct input_keymap_entry *entry, unsigned int *scancode)
{
	switch (entry->len) {
	case 1:
		*scancode = *(const u8 *)entry->scancode;
		return 0;
	case 2:
		*scancode = *(const u16 *)entry->scancode;
		return 0;
	case 4:
		*scancode = *(const u32 *)entry->scancode;
		return 0;
	default:
		return -EINVAL;
	}
}

static unsigned int code_at(const struct input_dev *dev, unsigned int index)
{
	return dev->keycodesize == 1 ? ((u8 *)dev->keycode)[index] :
	       dev->keycodesize == 2 ? ((u16 *)dev->keycode)[index] :
				       ((u32 *)dev->keycode)[index];
}

/* The entry's place in the table: 0 or -EINVAL. */
static int place_of(const struct input_dev *dev, const struct input_keymap_entry *entry,
		    unsigned int *index)
{
	int error = 0;

	if (!dev->keycodesize)
		return -EINVAL;
	if (entry->flags & INPUT_KEYMAP_BY_INDEX)
		*index = entry->index;
	else
		error = input_scancode_to_scalar(entry, index);
	return error ? error : *index < dev->keycodemax ? 0 : -EINVAL;
}

static int get_keycode(struct input_dev *dev, struct input_keymap_entry *entry)
{
	unsigned int index;
	int error = place_of(dev, entry, &index);

	if (error)
		return error;
	entry->keycode = code_at(dev, index);
	entry->index = (u16)index;
	entry->len = sizeof(index);
	memcpy(entry->scancode, &index, sizeof(index));
	return 0;
}

static int set_keycode(struct input_dev *dev, const struct input_keymap_entry *entry,
		       unsigned int *old)
{
	unsigned int index;
	int error = place_of(dev, entry, &index);

	if (error)
		return error;
	if (dev->keycodesize < sizeof(u32) && entry->keycode >> dev->keycodesize * 8)
		return -EINVAL;
	*old = code_at(dev, index);
	if (dev->keycodesize == 1)
		((u8 *)dev->keycode)[index] = (u8)entry->keycode;
	else if (dev->keycodesize == 2)
		((u16 *)dev->keycode)[index] = (u16)entry->keycode;
	else
		((u32 *)dev->keycode)[index] = entry->keycode;
	if (*old <= KEY_MAX) {
		__clear_bit(*old, dev->keybit);
		for (unsigned int i = 0; i < dev->keycodemax; i++)
			if (code_at(dev, i) == *old)
				__set_bit(*old, dev->keybit);
	}
	__set_bit(entry->keycode, dev->keybit);
	return 0;
}

void input_default_keycodes(struct input_dev *dev)
{
	if (!dev->getkeycode)
		dev->getkeycode = get_keycode;
	if (!dev->setkeycode)
		dev->setkeycode = set_keycode;
}

int input_get_keycode(struct input_dev *dev, struct input_keymap_entry *entry)
{
	unsigned long flags;
	int error;

	spin_lock_irqsave(&dev->event_lock, flags);
	error = dev->getkeycode(dev, entry);
	spin_unlock_irqrestore(&dev->event_lock, flags);
	return error;
}

/* A key that the device no longer has is let go. */
int input_set_keycode(struct input_dev *dev, const struct input_keymap_entry *entry)
{
	unsigned int old = 0;
	unsigned long flags;
	int error;

	if (entry->keycode > KEY_MAX)
		return -EINVAL;
	spin_lock_irqsave(&dev->event_lock, flags);
	error = dev->setkeycode(dev, entry, &old);
	if (!error) {
		__clear_bit(KEY_RESERVED, dev->keybit);
		if (old <= KEY_MAX && test_bit(EV_KEY, dev->evbit) &&
		    !test_bit(old, dev->keybit) && test_bit(old, dev->key)) {
			__set_bit(old, dev->keybit);
			input_event_locked(dev, EV_KEY, old, 0);
			input_event_locked(dev, EV_SYN, SYN_REPORT, 1);
			__clear_bit(old, dev->keybit);
		}
	}
	spin_unlock_irqrestore(&dev->event_lock, flags);
	return error;
}
