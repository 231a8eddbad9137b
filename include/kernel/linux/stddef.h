/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_STDDEF_H
#define KERNEL_LINUX_STDDEF_H

#include <stdbool.h>
#include <stddef.h>

#include_next <linux/stddef.h>

#define sizeof_field(type, member) sizeof(((type *)0)->member)
#define offsetofend(type, member) (offsetof(type, member) + sizeof_field(type, member))
#define struct_group(name, members...) \
	union { struct { members }; struct { members } name; }
#ifndef DECLARE_FLEX_ARRAY
#define DECLARE_FLEX_ARRAY(type, name) __DECLARE_FLEX_ARRAY(type, name)
#endif

#endif
