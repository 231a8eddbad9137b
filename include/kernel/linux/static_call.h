/* SPDX-License-Identifier: MIT */
/* Calls that can be changed at run time: a pointer to a function here, not patched code. */
#ifndef _LINUX_STATIC_CALL_H
#define _LINUX_STATIC_CALL_H

#include <asm/ptrace.h>
#include <linux/compiler.h>
#include <linux/cpu.h>
#include <linux/types.h>

#define USERMM_STATIC_CALL(name) usermm_static_call_##name
#define DECLARE_STATIC_CALL(name, function) \
	extern __typeof__(&(function)) USERMM_STATIC_CALL(name)
#define DEFINE_STATIC_CALL(name, function) \
	__typeof__(&(function)) USERMM_STATIC_CALL(name) = (function)
#define DEFINE_STATIC_CALL_NULL(name, function) \
	__typeof__(&(function)) USERMM_STATIC_CALL(name) = NULL
#define DEFINE_STATIC_CALL_RET0(name, function) \
	static long usermm_return_0_##name(void) { return 0; }			\
	__typeof__(&(function)) USERMM_STATIC_CALL(name) =			\
		(__typeof__(&(function)))(void *)usermm_return_0_##name
#define static_call(name) (*READ_ONCE(USERMM_STATIC_CALL(name)))
#define static_call_mod(name) static_call(name)
#define static_call_query(name) READ_ONCE(USERMM_STATIC_CALL(name))
#define static_call_update(name, function) WRITE_ONCE(USERMM_STATIC_CALL(name), function)
/* Nothing is called while the pointer is NULL. */
#define static_call_cond(name) if (static_call_query(name)) static_call(name)
#define EXPORT_STATIC_CALL(name)
#define EXPORT_STATIC_CALL_GPL(name)
#define EXPORT_STATIC_CALL_TRAMP(name)
#define EXPORT_STATIC_CALL_TRAMP_GPL(name)

#endif
