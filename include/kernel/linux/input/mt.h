/* SPDX-License-Identifier: MIT */
/* Contacts of devices that know several at a time, each in a slot. */
#ifndef _INPUT_MT_H
#define _INPUT_MT_H

#include <linux/input.h>
#include <usermm/compiler.h>

#define TRKID_MAX 0xffff
#define INPUT_MT_POINTER 0x0001
#define INPUT_MT_DIRECT 0x0002
#define INPUT_MT_DROP_UNUSED 0x0004
#define INPUT_MT_TRACK 0x0008
#define INPUT_MT_SEMI_MT 0x0010

#define ABS_MT_FIRST ABS_MT_TOUCH_MAJOR
#define ABS_MT_LAST ABS_MT_TOOL_Y

struct input_mt_slot {
	int abs[ABS_MT_LAST - ABS_MT_FIRST + 1];
	unsigned int frame;		/* of the last report */
	unsigned int key;		/* the driver's, for input_mt_get_slot_by_key() */
};

struct input_mt {
	int trkid;			/* of the next contact */
	int num_slots;
	int slot;			/* the one that reports are about */
	unsigned int flags;
	unsigned int frame;
	struct input_mt_slot slots[];
};

static inline void input_mt_set_value(struct input_mt_slot *slot, unsigned int code, int value)
{
	slot->abs[code - ABS_MT_FIRST] = value;
}

static inline int input_mt_get_value(const struct input_mt_slot *slot, unsigned int code)
{
	return slot->abs[code - ABS_MT_FIRST];
}

static inline bool input_mt_is_active(const struct input_mt_slot *slot)
{
	return input_mt_get_value(slot, ABS_MT_TRACKING_ID) >= 0;
}

static inline bool input_mt_is_used(const struct input_mt *mt, const struct input_mt_slot *slot)
{
	return slot->frame == mt->frame;
}

static inline int input_mt_new_trkid(struct input_mt *mt)
{
	return mt->trkid++ & TRKID_MAX;
}

static inline bool input_is_mt_value(int axis)
{
	return axis >= ABS_MT_FIRST && axis <= ABS_MT_LAST;
}

static inline bool input_is_mt_axis(int axis)
{
	return axis == ABS_MT_SLOT || input_is_mt_value(axis);
}

USERMM_BEGIN_DECLS

/* 0; -EINVAL if there is another number of slots already, or for more than 1024; -ENOMEM. */
int input_mt_init_slots(struct input_dev *dev, unsigned int nr_slots, unsigned int flags)
	USERMM_API(input_mt_init_slots);
void input_mt_destroy_slots(struct input_dev *dev) USERMM_API(input_mt_destroy_slots);
/*
 * Says whether the current slot has a contact, and returns the same (false without slots). A new
 * contact gets a number of its own.
 */
bool input_mt_report_slot_state(struct input_dev *dev, unsigned int tool, bool is_there)
	USERMM_API(input_mt_report_slot_state);
/* Reports the number of contacts by the keys BTN_TOOL_FINGER to BTN_TOOL_QUINTTAP. */
void input_mt_report_finger_count(struct input_dev *dev, int n)
	USERMM_API(input_mt_report_finger_count);
/*
 * Reports BTN_TOUCH, where the oldest contact is (ABS_X, ABS_Y, ABS_PRESSURE), and, with
 * use_count, the number of contacts.
 */
void input_mt_report_pointer_emulation(struct input_dev *dev, bool use_count)
	USERMM_API(input_mt_report_pointer_emulation);
/* Drops the contacts that were not reported since the last frame. */
void input_mt_drop_unused(struct input_dev *dev) USERMM_API(input_mt_drop_unused);
/*
 * Ends a set of events. Drops contacts that were not reported in it, if INPUT_MT_DROP_UNUSED is
 * set.
 */
void input_mt_sync_frame(struct input_dev *dev) USERMM_API(input_mt_sync_frame);
/*
 * The slot that has the contact with this key of the driver's; for a new key a free slot, -1 if
 * there is none.
 */
int input_mt_get_slot_by_key(struct input_dev *dev, int key)
	USERMM_API(input_mt_get_slot_by_key);

USERMM_END_DECLS

#define input_mt_slot(dev, slot) input_event(dev, EV_ABS, ABS_MT_SLOT, slot)
#define input_mt_report_slot_inactive(dev) \
	((void)input_mt_report_slot_state(dev, 0, false))

#endif
