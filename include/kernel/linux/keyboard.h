/* SPDX-License-Identifier: MIT */
/* Notifiers of keys, which are never called: this process has no keyboard. */
#ifndef KERNEL_LINUX_KEYBOARD_H
#define KERNEL_LINUX_KEYBOARD_H

#include <linux/notifier.h>
#include <linux/types.h>
#include_next <linux/keyboard.h>

struct vc_data;

struct keyboard_notifier_param {
	struct vc_data *vc;
	int down, shift, ledstate;
	unsigned int value;
};

#define KBD_KEYCODE 0x0001
#define KBD_UNBOUND_KEYCODE 0x0002
#define KBD_UNICODE 0x0003
#define KBD_KEYSYM 0x0004
#define KBD_POST_KEYSYM 0x0005

#define register_keyboard_notifier(block) ((void)(block), 0)
#define unregister_keyboard_notifier(block) ((void)(block), 0)

#endif
