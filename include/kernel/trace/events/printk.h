/* SPDX-License-Identifier: MIT */
/* The probe gets each text that printk() logs, without level and without the final newline. */
#ifndef _TRACE_PRINTK_H
#define _TRACE_PRINTK_H

#include <linux/tracepoint.h>
#include <usermm/compiler.h>

/*
 * Register: 0, -ENOMEM, or -EEXIST if the probe is registered with this data already. Unregister: 0
 * or -ENOENT. The probe may still run until tracepoint_synchronize_unregister() has returned.
 */
int register_trace_console(void (*probe)(void *data, const char *text, size_t length),
			   void *data) USERMM_API(register_trace_console);
int unregister_trace_console(void (*probe)(void *data, const char *text, size_t length),
			     void *data) USERMM_API(unregister_trace_console);

#endif
