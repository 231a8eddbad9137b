/* SPDX-License-Identifier: MIT */
/* No effect: all sources of a run are linked together, so non-static names are visible anyway. */
#ifndef _LINUX_EXPORT_H
#define _LINUX_EXPORT_H

#include <linux/stringify.h>

struct module;

#ifndef THIS_MODULE
#define THIS_MODULE ((struct module *)0)
#endif

#define EXPORT_SYMBOL(symbol) struct usermm_needs_a_semicolon
#define EXPORT_SYMBOL_GPL(symbol) EXPORT_SYMBOL(symbol)
#define EXPORT_SYMBOL_NS(symbol, namespace) EXPORT_SYMBOL(symbol)
#define EXPORT_SYMBOL_NS_GPL(symbol, namespace) EXPORT_SYMBOL(symbol)
#define EXPORT_PER_CPU_SYMBOL(symbol) EXPORT_SYMBOL(symbol)
#define EXPORT_PER_CPU_SYMBOL_GPL(symbol) EXPORT_SYMBOL(symbol)

#endif
