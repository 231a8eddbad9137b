/* SPDX-License-Identifier: MIT */
/* What uname() says: the machine's, with the release of these headers. */
#ifndef KERNEL_LINUX_UTSNAME_H
#define KERNEL_LINUX_UTSNAME_H

#include <generated/utsrelease.h>
#include <linux/err.h>
#include <linux/ns_common.h>
#include <linux/nsproxy.h>
#include <linux/sched.h>
#include_next <linux/utsname.h>

struct uts_namespace {
	struct new_utsname name;
	struct user_namespace *user_ns;
	struct ns_common ns;
};

/* With the machine's names; and this release, if it is not NULL. */
struct uts_namespace *usermm_uts(const char *release) __attribute__((visibility("default")));
#define init_uts_ns (*usermm_uts(UTS_RELEASE))

static inline struct new_utsname *utsname(void)
{
	return &init_uts_ns.name;
}

#define init_utsname() utsname()

#endif
