// SPDX-License-Identifier: MIT
/* Contacts in slots: see linux/input/mt.h. cf. Linux drivers/input/input-mt.c. */
#include <linux/err.h>
#include <linux/input.h>
#include <linux/input/mt.h>
#include <linux/kernel.h>
#include <linux/slab.h>

#include "input_core.h"

#define MAX_SLOTS 1024
#define NO_CONTACT (-1)

static void allow(struct input_dev *dev, unsigned int axis, unsigned int like, bool with_flat)
{
	if (!test_bit(like, dev->absbit))
		return;
	dev->absinfo[axis] = dev->absinfo[like];
	dev->absinfo[axis].fuzz = 0;
	if (!with_flat)
		dev->absinfo[axis].flat = 0;
	__set_bit(axis, dev->absbit);
}

/* A device that points shows its oldest contact as an ordinary pointer, too. */
static void make_pointer(struct input_dev *dev, unsigned int flags)
{
	__set_bit(EV_KEY, dev->evbit);
	__set_bit(BTN_TOUCH, dev->keybit);
	allow(dev, ABS_X, ABS_MT_POSITION_X, true);
	allow(dev, ABS_Y, ABS_MT_POSITION_Y, true);
	allow(dev, ABS_PRESSURE, ABS_MT_PRESSURE, true);
	if (flags & INPUT_MT_DIRECT)
		__set_bit(INPUT_PROP_DIRECT, dev->propbit);
	if (!(flags & INPUT_MT_POINTER))
		return;
	__set_bit(INPUT_PROP_POINTER, dev->propbit);
	__set_bit(BTN_TOOL_FINGER, dev->keybit);
	__set_bit(BTN_TOOL_DOUBLETAP, dev->keybit);
	if (dev->mt->num_slots >= 3)
		__set_bit(BTN_TOOL_TRIPLETAP, dev->keybit);
	if (dev->mt->num_slots >= 4)
		__set_bit(BTN_TOOL_QUADTAP, dev->keybit);
	if (dev->mt->num_slots >= 5)
		__set_bit(BTN_TOOL_QUINTTAP, dev->keybit);
}

int input_mt_init_slots(struct input_dev *dev, unsigned int nr_slots, unsigned int flags)
{
	struct input_mt *mt = dev->mt;

	if (!nr_slots)
		return 0;
	if (nr_slots > MAX_SLOTS || (mt && mt->num_slots != (int)nr_slots))
		return -EINVAL;
	if (mt)
		return 0;
	mt = kzalloc(struct_size(mt, slots, nr_slots), GFP_KERNEL);
	if (!mt)
		return -ENOMEM;
	mt->num_slots = (int)nr_slots;
	mt->flags = flags;
	mt->frame = 1;
	for (unsigned int i = 0; i < nr_slots; i++)
		input_mt_set_value(&mt->slots[i], ABS_MT_TRACKING_ID, NO_CONTACT);
	input_set_abs_params(dev, ABS_MT_SLOT, 0, (int)nr_slots - 1, 0, 0);
	input_set_abs_params(dev, ABS_MT_TRACKING_ID, 0, TRKID_MAX, 0, 0);
	if (!dev->absinfo) {
		kfree(mt);
		return -ENOMEM;
	}
	dev->mt = mt;
	if (flags & (INPUT_MT_POINTER | INPUT_MT_DIRECT))
		make_pointer(dev, flags);
	if (flags & INPUT_MT_SEMI_MT)
		__set_bit(INPUT_PROP_SEMI_MT, dev->propbit);
	return 0;
}

void input_mt_destroy_slots(struct input_dev *dev)
{
	kfree(dev->mt);
	dev->mt = NULL;
}

bool input_mt_report_slot_state(struct input_dev *dev, unsigned int tool, bool is_there)
{
	struct input_mt *mt = dev->mt;
	struct input_mt_slot *slot;
	int id;

	if (!mt)
		return false;
	slot = &mt->slots[mt->slot];
	slot->frame = mt->frame;
	if (!is_there) {
		input_event(dev, EV_ABS, ABS_MT_TRACKING_ID, NO_CONTACT);
		return false;
	}
	id = input_mt_get_value(slot, ABS_MT_TRACKING_ID);
	if (id < 0)
		id = input_mt_new_trkid(mt);
	input_event(dev, EV_ABS, ABS_MT_TRACKING_ID, id);
	input_event(dev, EV_ABS, ABS_MT_TOOL_TYPE, (int)tool);
	return true;
}

void input_mt_report_finger_count(struct input_dev *dev, int n)
{
	input_event(dev, EV_KEY, BTN_TOOL_FINGER, n == 1);
	input_event(dev, EV_KEY, BTN_TOOL_DOUBLETAP, n == 2);
	input_event(dev, EV_KEY, BTN_TOOL_TRIPLETAP, n == 3);
	input_event(dev, EV_KEY, BTN_TOOL_QUADTAP, n == 4);
	input_event(dev, EV_KEY, BTN_TOOL_QUINTTAP, n == 5);
}

/* The contact that has been there for the longest time; *nr: how many there are. */
static const struct input_mt_slot *oldest(const struct input_mt *mt, int *nr)
{
	const struct input_mt_slot *found = NULL;
	int found_id = 0;

	*nr = 0;
	for (int i = 0; i < mt->num_slots; i++) {
		const struct input_mt_slot *slot = &mt->slots[i];
		int id = input_mt_get_value(slot, ABS_MT_TRACKING_ID);

		if (id < 0)
			continue;
		/* Numbers start again behind TRKID_MAX: less than half of them lie between. */
		if (!found || ((found_id - id) & TRKID_MAX) < (TRKID_MAX + 1) / 2) {
			found = slot;
			found_id = id;
		}
		(*nr)++;
	}
	return found;
}

static void report_axis(struct input_dev *dev, const struct input_mt_slot *slot,
			unsigned int axis, unsigned int of_slot)
{
	if (test_bit(of_slot, dev->absbit))
		input_event(dev, EV_ABS, axis, input_mt_get_value(slot, of_slot));
}

void input_mt_report_pointer_emulation(struct input_dev *dev, bool use_count)
{
	const struct input_mt *mt = dev->mt;
	const struct input_mt_slot *slot;
	int n;

	if (!mt)
		return;
	slot = oldest(mt, &n);
	input_event(dev, EV_KEY, BTN_TOUCH, n > 0);
	if (use_count)
		input_mt_report_finger_count(dev, n);
	if (slot) {
		report_axis(dev, slot, ABS_X, ABS_MT_POSITION_X);
		report_axis(dev, slot, ABS_Y, ABS_MT_POSITION_Y);
		report_axis(dev, slot, ABS_PRESSURE, ABS_MT_PRESSURE);
	} else if (test_bit(ABS_MT_PRESSURE, dev->absbit)) {
		input_event(dev, EV_ABS, ABS_PRESSURE, 0);
	}
}

void input_mt_drop_unused(struct input_dev *dev)
{
	struct input_mt *mt = dev->mt;
	unsigned long flags;

	if (!mt)
		return;
	spin_lock_irqsave(&dev->event_lock, flags);
	for (int i = 0; i < mt->num_slots; i++) {
		if (!input_mt_is_active(&mt->slots[i]) || input_mt_is_used(mt, &mt->slots[i]))
			continue;
		input_event_locked(dev, EV_ABS, ABS_MT_SLOT, i);
		input_event_locked(dev, EV_ABS, ABS_MT_TRACKING_ID, NO_CONTACT);
	}
	mt->frame++;
	spin_unlock_irqrestore(&dev->event_lock, flags);
}

void input_mt_sync_frame(struct input_dev *dev)
{
	struct input_mt *mt = dev->mt;
	bool use_count;

	if (!mt)
		return;
	use_count = mt->flags & INPUT_MT_POINTER && !(mt->flags & INPUT_MT_SEMI_MT);
	if (mt->flags & INPUT_MT_DROP_UNUSED)
		input_mt_drop_unused(dev);
	else
		mt->frame++;
	if (mt->flags & (INPUT_MT_POINTER | INPUT_MT_DIRECT))
		input_mt_report_pointer_emulation(dev, use_count);
}

int input_mt_get_slot_by_key(struct input_dev *dev, int key)
{
	struct input_mt *mt = dev->mt;

	if (!mt)
		return -1;
	for (int i = 0; i < mt->num_slots; i++)
		if (input_mt_is_active(&mt->slots[i]) && mt->slots[i].key == (unsigned int)key)
			return i;
	for (int i = 0; i < mt->num_slots; i++)
		if (!input_mt_is_active(&mt->slots[i]) &&
		    !input_mt_is_used(mt, &mt->slots[i])) {
			mt->slots[i].key = (unsigned int)key;
			return i;
		}
	return -1;
}
