/* SPDX-License-Identifier: MIT */
/*
 * A dumper gets the log when the system ends. Here this never happens: a dumper is registered, and
 * never called.
 */
#ifndef _LINUX_KMSG_DUMP_H
#define _LINUX_KMSG_DUMP_H

#include <linux/errno.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/version.h>

enum kmsg_dump_reason { KMSG_DUMP_UNDEF, KMSG_DUMP_PANIC, KMSG_DUMP_OOPS, KMSG_DUMP_EMERG,
			KMSG_DUMP_SHUTDOWN, KMSG_DUMP_MAX };

struct kmsg_dump_iter {
	u64 cur_seq, next_seq;
};

struct kmsg_dump_detail {
	enum kmsg_dump_reason reason;
	const char *description;
};

struct kmsg_dumper {
	struct list_head list;
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	void (*dump)(struct kmsg_dumper *dumper, struct kmsg_dump_detail *detail);
#else
	void (*dump)(struct kmsg_dumper *dumper, enum kmsg_dump_reason reason);
#endif
	enum kmsg_dump_reason max_reason;
	bool registered;
};

static inline int kmsg_dump_register(struct kmsg_dumper *dumper)
{
	if (!dumper->dump)
		return -EINVAL;
	if (dumper->registered)
		return -EBUSY;
	dumper->registered = true;
	return 0;
}

static inline int kmsg_dump_unregister(struct kmsg_dumper *dumper)
{
	int error = dumper->registered ? 0 : -ENOENT;

	dumper->registered = false;
	return error;
}

#define kmsg_dump_rewind(iter) ((void)(iter))
#define kmsg_dump_get_line(iter, syslog, line, size, n) \
	((void)(iter), (void)(syslog), (void)(line), (void)(size), (void)(n), false)
#define kmsg_dump_get_buffer(iter, syslog, buffer, size, n) \
	kmsg_dump_get_line(iter, syslog, buffer, size, n)

#endif
