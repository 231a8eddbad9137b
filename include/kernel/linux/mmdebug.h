/* SPDX-License-Identifier: MIT */
/* As with CONFIG_DEBUG_VM. */
#ifndef _LINUX_MMDEBUG_H
#define _LINUX_MMDEBUG_H

#include <asm/bug.h>
#include <linux/bug.h>
#include <usermm/compiler.h>

struct page;

/* Writes the page's state to the log. */
void dump_page(const struct page *page, const char *reason) USERMM_API(dump_page);

#define VM_BUG_ON(condition) BUG_ON(condition)
#define VM_BUG_ON_PAGE(condition, page) BUG_ON(condition)
#define VM_BUG_ON_FOLIO(condition, folio) BUG_ON(condition)
#define VM_WARN_ON(condition) ((void)WARN_ON(condition))
#define VM_WARN_ON_ONCE(condition) WARN_ON_ONCE(condition)
#define VM_WARN_ON_ONCE_PAGE(condition, page) WARN_ON_ONCE(condition)
#define VM_WARN_ON_ONCE_FOLIO(condition, folio) WARN_ON_ONCE(condition)
#define VM_WARN_ONCE(condition, ...) WARN_ONCE(condition, __VA_ARGS__)
#define VM_WARN(condition, ...) WARN(condition, __VA_ARGS__)

#endif
