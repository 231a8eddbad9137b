// SPDX-License-Identifier: MIT
/* Contacts in slots: see linux/input/mt.h. cf. Linux drivers/input/input-mt.c. */
#include <linux/err.h>
#include <linux/input.h>
#include <linux/input/mt.h>
#include <linux/kernel.h>
#include <linux/slab.h>

struct slot {
	int id;			/* of the contact; -1: none */
	unsigned int frame;	/* of the last report */
	int key;		/* the driver's, for input_mt_get_slot_by_key() */
};

struct input_mt {
	int next_id;
	unsigned int nr_slots, flags, frame;
	struct slot slots[];
};

int input_mt_init_slots(struct input_dev *dev, unsigned int nr_slots, unsigned int flags)
{
	struct input_mt *mt = dev->usermm_mt;

	if (!nr_slots)
		return 0;
	if (nr_slots > 1024 || (mt && mt->nr_slots != nr_slots))
		return -EINVAL;
	if (mt)
		return 0;
	mt = kzalloc(struct_size(mt, slots, nr_slots), GFP_KERNEL);
	if (!mt)
		return -ENOMEM;
	mt->nr_slots = nr_slots;
	mt->flags = flags;
	mt->frame = 1;
	for (unsigned int i = 0; i < nr_slots; i++)
		mt->slots[i].id = mt->slots[i].key = -1;
	dev->usermm_mt = mt;
	input_set_abs_params(dev, ABS_MT_SLOT, 0, (int)nr_slots - 1, 0, 0);
	input_set_abs_params(dev, ABS_MT_TRACKING_ID, 0, TRKID_MAX, 0, 0);
	if (flags & (INPUT_MT_POINTER | INPUT_MT_DIRECT)) {
		__set_bit(EV_KEY, dev->evbit);
		__set_bit(BTN_TOUCH, dev->keybit);
	}
	if (flags & INPUT_MT_DIRECT)
		__set_bit(INPUT_PROP_DIRECT, dev->propbit);
	if (flags & INPUT_MT_POINTER) {
		__set_bit(INPUT_PROP_POINTER, dev->propbit);
		__set_bit(BTN_TOOL_FINGER, dev->keybit);
		__set_bit(BTN_TOOL_DOUBLETAP, dev->keybit);
	}
	return 0;
}

void input_mt_destroy_slots(struct input_dev *dev)
{
	kfree(dev->usermm_mt);
	dev->usermm_mt = NULL;
}

static struct slot *current_slot(struct input_dev *dev)
{
	struct input_mt *mt = dev->usermm_mt;
	unsigned int number = (unsigned int)input_abs_get_val(dev, ABS_MT_SLOT);

	return number < mt->nr_slots ? &mt->slots[number] : NULL;
}

bool input_mt_report_slot_state(struct input_dev *dev, unsigned int tool, bool is_there)
{
	struct input_mt *mt = dev->usermm_mt;
	struct slot *slot = mt ? current_slot(dev) : NULL;

	if (!slot)
		return false;
	slot->frame = mt->frame;
	if (!is_there) {
		slot->id = -1;
		input_event(dev, EV_ABS, ABS_MT_TRACKING_ID, -1);
		return false;
	}
	if (slot->id < 0)
		slot->id = mt->next_id++ & TRKID_MAX;
	input_event(dev, EV_ABS, ABS_MT_TRACKING_ID, slot->id);
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

/* The touch itself: Linux adds the oldest contact's place, which drivers report as well. */
void input_mt_report_pointer_emulation(struct input_dev *dev, bool use_count)
{
	const struct input_mt *mt = dev->usermm_mt;
	int n = 0;

	if (!mt)
		return;
	for (unsigned int i = 0; i < mt->nr_slots; i++)
		n += mt->slots[i].id >= 0;
	input_event(dev, EV_KEY, BTN_TOUCH, n > 0);
	if (use_count)
		input_mt_report_finger_count(dev, n);
}

void input_mt_sync_frame(struct input_dev *dev)
{
	struct input_mt *mt = dev->usermm_mt;

	if (!mt)
		return;
	for (unsigned int i = 0; mt->flags & INPUT_MT_DROP_UNUSED && i < mt->nr_slots; i++) {
		if (mt->slots[i].id < 0 || mt->slots[i].frame == mt->frame)
			continue;
		input_mt_slot(dev, (int)i);
		input_mt_report_slot_inactive(dev);
	}
	if (mt->flags & (INPUT_MT_POINTER | INPUT_MT_DIRECT))
		input_mt_report_pointer_emulation(dev, mt->flags & INPUT_MT_POINTER);
	mt->frame++;
}

int input_mt_get_slot_by_key(struct input_dev *dev, int key)
{
	struct input_mt *mt = dev->usermm_mt;

	if (!mt)
		return -1;
	for (unsigned int i = 0; i < mt->nr_slots; i++)
		if (mt->slots[i].id >= 0 && mt->slots[i].key == key)
			return (int)i;
	for (unsigned int i = 0; i < mt->nr_slots; i++)
		if (mt->slots[i].id < 0 && mt->slots[i].frame != mt->frame) {
			mt->slots[i].key = key;
			return (int)i;
		}
	return -1;
}
