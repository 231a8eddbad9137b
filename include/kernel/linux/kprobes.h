/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_KPROBES_H
#define KERNEL_LINUX_KPROBES_H

#include <linux/compiler.h>

/* Functions are not patched; what marks them for it means nothing. */
#define NOKPROBE_SYMBOL(function) struct usermm_needs_a_semicolon
#define __kprobes

#endif
