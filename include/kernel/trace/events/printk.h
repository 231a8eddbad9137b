/* SPDX-License-Identifier: MIT */
/* What the log is given, piece by piece, as printk() has it: without level, not ended. */
#ifndef _TRACE_PRINTK_H
#define _TRACE_PRINTK_H

#include <linux/tracepoint.h>
#include <usermm/compiler.h>

/*
 * -EEXIST if the probe is there already with this data, -ENOENT if it is not there, -ENOMEM.
 * A probe may still run until tracepoint_synchronize_unregister() has returned.
 */
int register_trace_console(void (*probe)(void *data, const char *text, size_t length),
			   void *data) USERMM_API(register_trace_console);
int unregister_trace_console(void (*probe)(void *data, const char *text, size_t length),
			     void *data) USERMM_API(unregister_trace_console);

#endif
