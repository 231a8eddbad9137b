/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_KPROBES_H
#define KERNEL_LINUX_KPROBES_H

#include <linux/compiler.h>

/* Functions are not patched, so these markers have no effect. */
#define NOKPROBE_SYMBOL(function) struct usermm_needs_a_semicolon
#define __kprobes

#endif
