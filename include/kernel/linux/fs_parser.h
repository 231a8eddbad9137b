/* SPDX-License-Identifier: MIT */
/* Options of a mount, by tables. */
#ifndef _LINUX_FS_PARSER_H
#define _LINUX_FS_PARSER_H

#include <linux/errno.h>
#include <linux/fs_context.h>
#include <usermm/compiler.h>

struct path;
struct fs_parameter_spec;
struct fs_parse_result;
struct p_log;
typedef int fs_param_type(struct p_log *log, const struct fs_parameter_spec *spec,
			  struct fs_parameter *parameter, struct fs_parse_result *result);

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

#define fs_param_neg_with_no 0x0002
#define fs_param_can_be_empty 0x0004
#define fs_param_deprecated 0x0008
#define __fsparam(type, name, opt, flags, data) { name, type, opt, flags, data }
#define fsparam_flag(name, opt) __fsparam(NULL, name, opt, 0, NULL)
#define fsparam_flag_no(name, opt) __fsparam(NULL, name, opt, fs_param_neg_with_no, NULL)
#define fsparam_bool(name, opt) __fsparam(fs_param_is_bool, name, opt, 0, NULL)
#define fsparam_u32(name, opt) __fsparam(fs_param_is_u32, name, opt, 0, NULL)
#define fsparam_u32oct(name, opt) __fsparam(fs_param_is_u32, name, opt, 0, (void *)8)
#define fsparam_u32hex(name, opt) __fsparam(fs_param_is_u32, name, opt, 0, (void *)16)
#define fsparam_s32(name, opt) __fsparam(fs_param_is_s32, name, opt, 0, NULL)
#define fsparam_u64(name, opt) __fsparam(fs_param_is_u64, name, opt, 0, NULL)
#define fsparam_enum(name, opt, table) __fsparam(fs_param_is_enum, name, opt, 0, table)
#define fsparam_string(name, opt) __fsparam(fs_param_is_string, name, opt, 0, NULL)
#define fsparam_fd(name, opt) __fsparam(fs_param_is_s32, name, opt, 0, NULL)
#define fsparam_uid(name, opt) __fsparam(fs_param_is_uid, name, opt, 0, NULL)
#define fsparam_gid(name, opt) __fsparam(fs_param_is_gid, name, opt, 0, NULL)

USERMM_BEGIN_DECLS

fs_param_type fs_param_is_bool USERMM_API(fs_param_is_bool);
fs_param_type fs_param_is_u32 USERMM_API(fs_param_is_u32);
fs_param_type fs_param_is_s32 USERMM_API(fs_param_is_s32);
fs_param_type fs_param_is_u64 USERMM_API(fs_param_is_u64);
fs_param_type fs_param_is_enum USERMM_API(fs_param_is_enum);
fs_param_type fs_param_is_string USERMM_API(fs_param_is_string);
fs_param_type fs_param_is_uid USERMM_API(fs_param_is_uid);
fs_param_type fs_param_is_gid USERMM_API(fs_param_is_gid);

/* The option's number; -ENOPARAM for one that the table lacks; -EINVAL for a wrong value. */
int usermm_fs_parse(struct fs_context *context, const struct fs_parameter_spec *table,
		    struct fs_parameter *parameter, struct fs_parse_result *result)
	__attribute__((visibility("default")));

USERMM_END_DECLS

#define fs_parse(context, table, parameter, result) \
	usermm_fs_parse(context, table, parameter, result)

#endif
