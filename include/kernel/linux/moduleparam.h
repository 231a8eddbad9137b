/* SPDX-License-Identifier: MIT */
/*
 * Module parameters. Each registers itself. The runner sets them from name=value before any other
 * code of the module runs (kernel/module/moduleparam.c).
 */
#ifndef _LINUX_MODULEPARAM_H
#define _LINUX_MODULEPARAM_H

#include <asm/div64.h>
#include <linux/align.h>
#include <linux/array_size.h>
#include <linux/compiler.h>
#include <linux/container_of.h>
#include <linux/hex.h>
#include <linux/init.h>
#include <linux/instruction_pointer.h>
#include <linux/kstrtox.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/panic.h>
#include <linux/printk.h>
#include <linux/sprintf.h>
#include <linux/stddef.h>
#include <linux/typecheck.h>
#include <linux/types.h>
#include <linux/wordpart.h>
#include <usermm/compiler.h>

struct kernel_param;

enum { KERNEL_PARAM_OPS_FL_NOARG = 1 << 0 };

struct kernel_param_ops {
	unsigned int flags;
	/* 0 or -errno; value is NULL for "name" alone, which FL_NOARG allows. */
	int (*set)(const char *value, const struct kernel_param *param);
	int (*get)(char *buffer, const struct kernel_param *param);
	void (*free)(void *arg);
};

struct kparam_string {
	unsigned int maxlen;
	char *string;
};

struct kparam_array {
	unsigned int max;
	unsigned int elemsize;
	unsigned int *num;
	const struct kernel_param_ops *ops;
	void *elem;
};

struct kernel_param {
	const char *name;
	const struct kernel_param_ops *ops;
	const u16 perm;
	union {
		void *arg;
		const struct kparam_string *str;
		const struct kparam_array *arr;
	};
	const char *module;
	const char *type;	/* for messages */
	struct kernel_param *next;
};

void usermm_module_param(struct kernel_param *param) __attribute__((visibility("default")));

#define USERMM_PARAM_(id, text, operations, argument, type_text, permissions)	\
	static struct kernel_param usermm_param_##id = {			\
		.name = text, .ops = operations, .perm = permissions,		\
		.arg = (void *)(argument), .module = KBUILD_MODNAME, .type = type_text, \
	};									\
	__attribute__((constructor)) static void usermm_param_entry_##id(void)	\
	{									\
		usermm_module_param(&usermm_param_##id);			\
	}									\
	struct usermm_needs_a_semicolon
#define USERMM_PARAM(id, text, ops, arg, type, perm) \
	USERMM_PARAM_(id, text, ops, arg, type, perm)

#define module_param_cb(name, ops, arg, perm) \
	USERMM_PARAM(__COUNTER__, #name, ops, arg, "\"its own\"", perm)
#define module_param_named(name, value, type, perm)				\
	param_check_##type(name, &(value));					\
	USERMM_PARAM(__COUNTER__, #name, &param_ops_##type, &(value), #type, perm)
#define module_param(name, type, perm) module_param_named(name, name, type, perm)
#define module_param_unsafe(name, type, perm) module_param(name, type, perm)
#define module_param_named_unsafe(name, value, type, perm) \
	module_param_named(name, value, type, perm)
#define module_param_hw(name, type, hwtype, perm) module_param(name, type, perm)
#define core_param(name, value, type, perm) module_param_named(name, value, type, perm)

#define module_param_call(name, set_function, get_function, arg, perm)		\
	static const struct kernel_param_ops usermm_ops_##name = {		\
		.set = (void *)(set_function), .get = (void *)(get_function),	\
	};									\
	module_param_cb(name, &usermm_ops_##name, arg, perm)

#define module_param_string(name, text, length, perm)				\
	static const struct kparam_string usermm_string_##name = { length, text }; \
	USERMM_PARAM(__COUNTER__, #name, &param_ops_string, &usermm_string_##name, \
		     "string", perm)

#define module_param_array_named(name, array, type, nr, perm)			\
	static const struct kparam_array usermm_array_##name = {		\
		.max = sizeof(array) / sizeof((array)[0]),			\
		.elemsize = sizeof((array)[0]), .num = (nr),			\
		.ops = &param_ops_##type, .elem = array,			\
	};									\
	USERMM_PARAM(__COUNTER__, #name, &param_array_ops, &usermm_array_##name, \
		     #type "[]", perm)
#define module_param_array(name, type, nr, perm) \
	module_param_array_named(name, name, type, nr, perm)
#define module_param_hw_array(name, type, hwtype, nr, perm) \
	module_param_array(name, type, nr, perm)

#define USERMM_PARAM_TYPE(name, type)						\
	extern const struct kernel_param_ops param_ops_##name USERMM_API(param_ops_##name); \
	int param_set_##name(const char *value, const struct kernel_param *param) \
		USERMM_API(param_set_##name);					\
	int param_get_##name(char *buffer, const struct kernel_param *param)	\
		USERMM_API(param_get_##name)
USERMM_PARAM_TYPE(byte, unsigned char);
USERMM_PARAM_TYPE(short, short);
USERMM_PARAM_TYPE(ushort, unsigned short);
USERMM_PARAM_TYPE(int, int);
USERMM_PARAM_TYPE(uint, unsigned int);
USERMM_PARAM_TYPE(long, long);
USERMM_PARAM_TYPE(ulong, unsigned long);
USERMM_PARAM_TYPE(ullong, unsigned long long);
USERMM_PARAM_TYPE(hexint, unsigned int);
USERMM_PARAM_TYPE(charp, char *);
extern const struct kernel_param_ops param_ops_bool USERMM_API(param_ops_bool);
int param_set_bool(const char *value, const struct kernel_param *param)
	USERMM_API(param_set_bool);
int param_get_bool(char *buffer, const struct kernel_param *param)
	USERMM_API(param_get_bool);
USERMM_PARAM_TYPE(invbool, bool);
/* If bool is a macro it becomes _Bool before it is pasted to a name. */
#define param_ops__Bool param_ops_bool
#define param_check__Bool param_check_bool
extern const struct kernel_param_ops param_ops_string USERMM_API(param_ops_string);
extern const struct kernel_param_ops param_array_ops USERMM_API(param_array_ops);
int param_set_copystring(const char *value, const struct kernel_param *param)
	USERMM_API(param_set_copystring);
int param_get_string(char *buffer, const struct kernel_param *param)
	USERMM_API(param_get_string);
int param_set_uint_minmax(const char *value, const struct kernel_param *param,
			  unsigned int min, unsigned int max)
	USERMM_API(param_set_uint_minmax);

/*
 * A pointer to a variable of the wrong type is what the compiler complains about. As in the kernel,
 * signedness does not matter.
 */
#define __param_check(name, p, type)						\
	static inline type __maybe_unused *__check_##name(void)			\
	{									\
		return (p);							\
	}									\
	struct usermm_needs_a_semicolon
#define param_check_byte(name, p) __param_check(name, p, unsigned char)
#define param_check_short(name, p) __param_check(name, p, short)
#define param_check_ushort(name, p) __param_check(name, p, unsigned short)
#define param_check_int(name, p) __param_check(name, p, int)
#define param_check_uint(name, p) __param_check(name, p, unsigned int)
#define param_check_hexint(name, p) param_check_uint(name, p)
#define param_check_long(name, p) __param_check(name, p, long)
#define param_check_ulong(name, p) __param_check(name, p, unsigned long)
#define param_check_ullong(name, p) __param_check(name, p, unsigned long long)
#define param_check_charp(name, p) __param_check(name, p, char *)
#define param_check_bool(name, p) __param_check(name, p, bool)
#define param_check_invbool(name, p) __param_check(name, p, bool)

#define kernel_param_lock(module) ((void)(module))
#define kernel_param_unlock(module) ((void)(module))

#endif
