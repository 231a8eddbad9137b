/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_STRING_HELPERS_H
#define KERNEL_LINUX_STRING_HELPERS_H

#include <asm/string.h>
#include <linux/bits.h>
#include <linux/ctype.h>
#include <linux/string.h>

enum string_size_units { STRING_UNITS_10, STRING_UNITS_2 };

/* Prints the size of `size` blocks of block_bytes each, as "1.23 GiB". Returns the length. */
int string_get_size(u64 size, u64 block_bytes, enum string_size_units units, char *buffer,
		    int length) USERMM_API(string_get_size);

static inline const char *str_yes_no(bool value) { return value ? "yes" : "no"; }
static inline const char *str_on_off(bool value) { return value ? "on" : "off"; }
static inline const char *str_true_false(bool value) { return value ? "true" : "false"; }
static inline const char *str_enable_disable(bool value) { return value ? "enable" : "disable"; }
static inline const char *str_enabled_disabled(bool value)
{
	return value ? "enabled" : "disabled";
}

static inline const char *str_plural(size_t n) { return n == 1 ? "" : "s"; }

#endif
