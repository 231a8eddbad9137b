/* SPDX-License-Identifier: MIT */
/* Tables from a device's codes to keys and switches. */
#ifndef _SPARSE_KEYMAP_H
#define _SPARSE_KEYMAP_H

#include <linux/input.h>

#define KE_END 0
#define KE_KEY 1
#define KE_SW 2			/* a switch of the table's value */
#define KE_VSW 3		/* a switch of the value that is reported */
#define KE_IGNORE 4
#define KE_LAST KE_IGNORE

struct key_entry {
	int type;
	u32 code;
	union {
		u16 keycode;
		struct {
			u8 code, value;
		} sw;
	};
};

USERMM_BEGIN_DECLS

/*
 * Gives the device a copy of the table, which goes with it, and its keys; setup() may change each
 * entry first. 0, -ENOMEM, or what setup() returned.
 */
int sparse_keymap_setup(struct input_dev *dev, const struct key_entry *keymap,
			int (*setup)(struct input_dev *dev, struct key_entry *entry))
	USERMM_API(sparse_keymap_setup);
/* NULL: the table does not have it. */
struct key_entry *sparse_keymap_entry_from_scancode(struct input_dev *dev, unsigned int code)
	USERMM_API(sparse_keymap_entry_from_scancode);
struct key_entry *sparse_keymap_entry_from_keycode(struct input_dev *dev, unsigned int code)
	USERMM_API(sparse_keymap_entry_from_keycode);
/* Reports the key; autorelease lets it go at once. */
void sparse_keymap_report_entry(struct input_dev *dev, const struct key_entry *entry,
				unsigned int value, bool autorelease)
	USERMM_API(sparse_keymap_report_entry);
/* Did the table have the code? One that it lacks is reported as KEY_UNKNOWN, with MSC_SCAN. */
bool sparse_keymap_report_event(struct input_dev *dev, unsigned int code, unsigned int value,
				bool autorelease)
	USERMM_API(sparse_keymap_report_event);

USERMM_END_DECLS

#endif
