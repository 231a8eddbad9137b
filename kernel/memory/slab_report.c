// SPDX-License-Identifier: MIT
/*
 * Hooks that send reports of slab debugging to the kernel log, with a stack as WARN() prints it,
 * and that name functions in all reports. The file uses the core's hooks, so it includes the core's
 * headers and not linux/printk.h.
 */
#include "module/module_run.h"
#include "base/upward_hooks.h"
#include "os/os.h"
#include "slab/debug/debug.h"

/* As in linux/kern_levels.h. */
#define KERN_ERR "\0013"
#define KERN_WARNING "\0014"

int printk(const char *format, ...) USERMM_API(printk) __printf(1, 2);
void dump_stack_lvl(const char *level) USERMM_API(dump_stack_lvl);
void panic(const char *format, ...) USERMM_API(panic) __printf(1, 2)
	__attribute__((__noreturn__));

static void log_line(const char *text)
{
	printk(KERN_ERR "%s\n", text);
}

/* Continues a line that the caller has begun (KERN_CONT). */
static void log_rest(const char *text)
{
	printk("\001c%s\n", text);
}

static void log_stack(void)
{
	dump_stack_lvl(KERN_WARNING);
}

static void end_process(const char *text)
{
	panic("%s", text);
}

__attribute__((constructor)) static void set_hooks(void)
{
	slab_debug_hooks.panic = end_process;
	slab_debug_hooks.line = log_line;
	slab_debug_hooks.rest = log_rest;
	slab_debug_hooks.other = vmalloc_describe;
	slab_debug_hooks.stack = log_stack;
	os_describe_hook = symbol_text;
}
