// SPDX-License-Identifier: MIT
/* Deciding when something should fail is the core's; see linux/fault-inject.h. */
#include <linux/build_bug.h>
#include <linux/fault-inject.h>
#include <linux/printk.h>
#include <linux/stddef.h>

static_assert(sizeof(struct fault_attr) == sizeof(struct usermm_fault_attr) &&
	      offsetof(struct fault_attr, times) == offsetof(struct usermm_fault_attr, times) &&
	      offsetof(struct fault_attr, space) == offsetof(struct usermm_fault_attr, space) &&
	      offsetof(struct fault_attr, dname) == offsetof(struct usermm_fault_attr, dname));

int setup_fault_attr(struct fault_attr *attr, char *text)
{
	int done = usermm_fault_attr_parse((struct usermm_fault_attr *)attr, text);

	if (!done)
		pr_warn("FAULT_INJECTION: failed to parse arguments\n");
	return done;
}

bool should_fail_ex(struct fault_attr *attr, ssize_t size, int flags)
{
	return usermm_should_fail((struct usermm_fault_attr *)attr, size, flags);
}
