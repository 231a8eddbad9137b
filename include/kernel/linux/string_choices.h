/* SPDX-License-Identifier: MIT */
/* One of two words. */
#ifndef KERNEL_LINUX_STRING_CHOICES_H
#define KERNEL_LINUX_STRING_CHOICES_H

#include <linux/types.h>

#define USERMM_CHOICE(name, opposite, yes, no)				\
	static inline const char *str_##name(bool value)		\
	{								\
		return value ? yes : no;				\
	}								\
	static inline const char *str_##opposite(bool value)		\
	{								\
		return str_##name(!value);				\
	}
USERMM_CHOICE(assert_deassert, deassert_assert, "assert", "deassert")
USERMM_CHOICE(enable_disable, disable_enable, "enable", "disable")
USERMM_CHOICE(enabled_disabled, disabled_enabled, "enabled", "disabled")
USERMM_CHOICE(hi_lo, lo_hi, "hi", "lo")
USERMM_CHOICE(high_low, low_high, "high", "low")
USERMM_CHOICE(input_output, output_input, "input", "output")
USERMM_CHOICE(on_off, off_on, "on", "off")
USERMM_CHOICE(read_write, write_read, "read", "write")
USERMM_CHOICE(true_false, false_true, "true", "false")
USERMM_CHOICE(up_down, down_up, "up", "down")
USERMM_CHOICE(yes_no, no_yes, "yes", "no")
#undef USERMM_CHOICE

static inline const char *str_plural(size_t n)
{
	return n == 1 ? "" : "s";
}

#endif
