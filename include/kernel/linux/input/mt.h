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
 * Reports BTN_TOUCH and, with use_count, the number of contacts. Linux also reports where the
 * oldest contact is.
 */
void input_mt_report_pointer_emulation(struct input_dev *dev, bool use_count)
	USERMM_API(input_mt_report_pointer_emulation);
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
#define input_mt_is_axis(axis) \
	((axis) == ABS_MT_SLOT || ((axis) >= ABS_MT_TOUCH_MAJOR && (axis) <= ABS_MT_TOOL_Y))

#endif
