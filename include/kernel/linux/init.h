/* SPDX-License-Identifier: MIT */
/*
 * Entry and exit of modules. All initcalls of the linked sources run in link order, their exits in
 * reverse order (kernel/module/module.c).
 */
#ifndef _LINUX_INIT_H
#define _LINUX_INIT_H

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/stringify.h>
#include <usermm/compiler.h>

#ifndef KBUILD_MODNAME
#define KBUILD_MODNAME "module"
#endif

#undef __init
#undef __exit
#define __init
#define __exit
#define __initdata
#define __initconst
#define __exitdata
#define __init_or_module
#define __initdata_or_module
#define __refdata
#define __ref
#define __meminit
#define __exit_p(x) x

typedef int (*initcall_t)(void);
typedef void (*exitcall_t)(void);

/* The rules of this version hold in the whole program (src/base/linux_version.h). */
void usermm_module_version(unsigned int version) __attribute__((visibility("default")));
void usermm_module_entry(const char *module, initcall_t init, exitcall_t exit)
	__attribute__((visibility("default")));

#define USERMM_ENTRY_(function, init, exit, line)				\
	__attribute__((constructor)) static void usermm_entry_##line(void)	\
	{									\
		usermm_module_entry(KBUILD_MODNAME, init, exit);		\
	}
#define USERMM_ENTRY(function, init, exit, line) USERMM_ENTRY_(function, init, exit, line)

#define module_init(function) USERMM_ENTRY(function, function, NULL, __COUNTER__)
#define module_exit(function) USERMM_ENTRY(function, NULL, function, __COUNTER__)

#define early_initcall(function) module_init(function)
#define pure_initcall(function) module_init(function)
#define core_initcall(function) module_init(function)
#define postcore_initcall(function) module_init(function)
#define arch_initcall(function) module_init(function)
#define subsys_initcall(function) module_init(function)
#define fs_initcall(function) module_init(function)
#define rootfs_initcall(function) module_init(function)
#define device_initcall(function) module_init(function)
#define late_initcall(function) module_init(function)
#define late_initcall_sync(function) module_init(function)
#define __initcall(function) module_init(function)
#define __exitcall(function) module_exit(function)

#define __setup(text, function) \
	static int (*usermm_setup_##function)(char *) __maybe_unused = function
#define early_param(text, function) __setup(text, function)

#endif
