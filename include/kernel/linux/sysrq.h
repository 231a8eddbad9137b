/* SPDX-License-Identifier: MIT */
/* Keys of the machine's SysRq can be taken, each once; nobody presses one. */
#ifndef _LINUX_SYSRQ_H
#define _LINUX_SYSRQ_H

#include <linux/errno.h>
#include <linux/types.h>
#include <linux/version.h>
#include <usermm/compiler.h>

#define SYSRQ_ENABLE_LOG 0x0002
#define SYSRQ_ENABLE_KEYBOARD 0x0004
#define SYSRQ_ENABLE_DUMP 0x0008
#define SYSRQ_ENABLE_SYNC 0x0010
#define SYSRQ_ENABLE_REMOUNT 0x0020
#define SYSRQ_ENABLE_SIGNAL 0x0040
#define SYSRQ_ENABLE_BOOT 0x0080
#define SYSRQ_ENABLE_RTNICE 0x0100

struct sysrq_key_op {
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
	void (*const handler)(u8 key);
#else
	void (*handler)(int key);
#endif
	const char *const help_msg;
	const char *const action_msg;
	const int enable_mask;
};

USERMM_BEGIN_DECLS

/* 0, or -1 for a key that is taken, or that is not this one's. */
int usermm_register_sysrq_key(int key, const void *operation)
	__attribute__((visibility("default")));
int usermm_unregister_sysrq_key(int key, const void *operation)
	__attribute__((visibility("default")));

USERMM_END_DECLS

static inline int register_sysrq_key(u8 key, const struct sysrq_key_op *operation)
{
	return usermm_register_sysrq_key(key, operation);
}

static inline int unregister_sysrq_key(u8 key, const struct sysrq_key_op *operation)
{
	return usermm_unregister_sysrq_key(key, operation);
}

#define handle_sysrq(key) ((void)(key))
#define sysrq_mask() 0

#endif
