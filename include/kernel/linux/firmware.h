/* SPDX-License-Identifier: MIT */
/* No firmware is installed for a process: -ENOENT. */
#ifndef _LINUX_FIRMWARE_H
#define _LINUX_FIRMWARE_H

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/types.h>

struct device;
struct module;

struct firmware {
	size_t size;
	const u8 *data;
	void *priv;
};

static inline int request_firmware(const struct firmware **firmware, const char *name,
				   struct device *dev)
{
	(void)name;
	(void)dev;
	*firmware = NULL;
	return -ENOENT;
}

#define request_firmware_direct(firmware, name, dev) request_firmware(firmware, name, dev)
#define firmware_request_nowarn(firmware, name, dev) request_firmware(firmware, name, dev)
#define request_firmware_nowait(module, uevent, name, dev, gfp, context, function) \
	((void)(name), (void)(dev), (void)(context), (void)(function), -ENOENT)
#define release_firmware(firmware) ((void)(firmware))

#endif
