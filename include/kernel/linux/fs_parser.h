/* SPDX-License-Identifier: MIT */
/* Options of a mount. Nothing is mounted, so none is ever parsed. */
#ifndef _LINUX_FS_PARSER_H
#define _LINUX_FS_PARSER_H

#include <linux/errno.h>
#include <linux/fs_context.h>

struct path;
struct fs_parameter_spec;
typedef int fs_param_type(const struct fs_parameter_spec *spec);

struct constant_table {
	const char *name;
	int value;
};

struct fs_parameter_spec {
	const char *name;
	fs_param_type *type;
	u8 opt;
	unsigned short flags;
	const void *data;
};

struct fs_parse_result {
	bool negated;
	union {
		bool boolean;
		int int_32;
		unsigned int uint_32;
		u64 uint_64;
		kuid_t uid;
		kgid_t gid;
	};
};

#define fs_param_can_be_empty 0x0004
#define __fsparam(type, name, opt, flags, data) { name, type, opt, flags, data }
#define fsparam_flag(name, opt) __fsparam(NULL, name, opt, 0, NULL)
#define fsparam_flag_no(name, opt) __fsparam(NULL, name, opt, 2, NULL)
#define fsparam_bool(name, opt) __fsparam(NULL, name, opt, 0, NULL)
#define fsparam_u32(name, opt) __fsparam(NULL, name, opt, 0, NULL)
#define fsparam_u32oct(name, opt) __fsparam(NULL, name, opt, 0, (void *)8)
#define fsparam_s32(name, opt) __fsparam(NULL, name, opt, 0, NULL)
#define fsparam_u64(name, opt) __fsparam(NULL, name, opt, 0, NULL)
#define fsparam_enum(name, opt, table) __fsparam(NULL, name, opt, 0, table)
#define fsparam_string(name, opt) __fsparam(NULL, name, opt, 0, NULL)
#define fsparam_fd(name, opt) __fsparam(NULL, name, opt, 0, NULL)
#define fsparam_uid(name, opt) __fsparam(NULL, name, opt, 0, NULL)
#define fsparam_gid(name, opt) __fsparam(NULL, name, opt, 0, NULL)
/* As for an option that the table does not have. */
#define fs_parse(context, table, parameter, result) \
	((void)(context), (void)(table), (void)(parameter), (void)(result), -ENOPARAM)
#ifndef ENOPARAM
#define ENOPARAM 519
#endif

#endif
