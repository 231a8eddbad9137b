// SPDX-License-Identifier: MIT
/* The kernel's interface of fault injection (linux/fault-inject.h). The core decides what fails. */
#include <linux/build_bug.h>
#include <linux/debugfs.h>
#include <linux/fault-inject.h>
#include <linux/printk.h>
#include <linux/stddef.h>

#define IS_THE_CORES(field) \
	(offsetof(struct fault_attr, field) == offsetof(struct usermm_fault_attr, field) && \
	 sizeof_field(struct fault_attr, field) == sizeof_field(struct usermm_fault_attr, field))

static_assert(IS_THE_CORES(probability) && IS_THE_CORES(interval) && IS_THE_CORES(times) &&
	      IS_THE_CORES(space) && IS_THE_CORES(verbose) && IS_THE_CORES(task_filter) &&
	      IS_THE_CORES(stacktrace_depth) && IS_THE_CORES(require_start) &&
	      IS_THE_CORES(require_end) && IS_THE_CORES(reject_start) &&
	      IS_THE_CORES(reject_end) && IS_THE_CORES(count));

int setup_fault_attr(struct fault_attr *attr, char *text)
{
	/* Text behind the numbers is ignored, as in Linux. */
	if (usermm_fault_attr_parse((struct usermm_fault_attr *)attr, text))
		return 1;
	pr_warn("FAULT_INJECTION: failed to parse arguments\n");
	return 0;
}

static void tell(struct fault_attr *attr)
{
	if (!attr->verbose || !__ratelimit(&attr->ratelimit_state))
		return;
	pr_notice("FAULT_INJECTION: forcing a failure.\n"
		  "name %s, interval %lu, probability %lu, space %d, times %d\n", attr->dname,
		  attr->interval, attr->probability, atomic_read(&attr->space),
		  atomic_read(&attr->times));
	if (attr->verbose > 1)
		dump_stack();
}

bool should_fail_ex(struct fault_attr *attr, ssize_t size, int flags)
{
	if (!usermm_fault_is_due((struct usermm_fault_attr *)attr, size))
		return false;
	if (!(flags & FAULT_NOWARN))
		tell(attr);
	usermm_fault_count((struct usermm_fault_attr *)attr);
	return true;
}

bool should_fail(struct fault_attr *attr, ssize_t size)
{
	return should_fail_ex(attr, size, 0);
}

struct dentry *fault_create_debugfs_attr(const char *name, struct dentry *parent,
					 struct fault_attr *attr)
{
	struct dentry *folder = debugfs_create_dir(name, parent);

	strscpy(attr->dname, name, sizeof(attr->dname));
	if (IS_ERR(folder))
		return folder;
	debugfs_create_ulong("probability", 0600, folder, &attr->probability);
	debugfs_create_ulong("interval", 0600, folder, &attr->interval);
	debugfs_create_atomic_t("times", 0600, folder, &attr->times);
	debugfs_create_atomic_t("space", 0600, folder, &attr->space);
	debugfs_create_ulong("verbose", 0600, folder, &attr->verbose);
	debugfs_create_bool("task-filter", 0600, folder, &attr->task_filter);
	debugfs_create_ulong("stacktrace-depth", 0600, folder, &attr->stacktrace_depth);
	debugfs_create_x64("require-start", 0600, folder, (u64 *)&attr->require_start);
	debugfs_create_x64("require-end", 0600, folder, (u64 *)&attr->require_end);
	debugfs_create_x64("reject-start", 0600, folder, (u64 *)&attr->reject_start);
	debugfs_create_x64("reject-end", 0600, folder, (u64 *)&attr->reject_end);
	return folder;
}
