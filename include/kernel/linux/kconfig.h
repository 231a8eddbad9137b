/* SPDX-License-Identifier: MIT */
/*
 * IS_ENABLED() and its relatives; generated/autoconf.h is the configuration.
 *
 * An option is set if it is defined as 1, or if CONFIG_X_MODULE is. The macros must work on names
 * that may be undefined. So they paste the option's value to a word: if the value is 1, the result
 * is a macro with a comma, which shifts the arguments; otherwise it is a meaningless word.
 */
#ifndef _LINUX_KCONFIG_H
#define _LINUX_KCONFIG_H

#define USERMM_COMMA_1 0,
#define USERMM_SECOND(skipped, second, ...) second
#define USERMM_IS_ONE__(comma_or_junk) USERMM_SECOND(comma_or_junk 1, 0)
#define USERMM_IS_ONE_(value) USERMM_IS_ONE__(USERMM_COMMA_##value)
#define USERMM_IS_ONE(value) USERMM_IS_ONE_(value)

#define IS_BUILTIN(option) USERMM_IS_ONE(option)
#define IS_MODULE(option) USERMM_IS_ONE(option##_MODULE)
#define IS_ENABLED(option) (IS_BUILTIN(option) || IS_MODULE(option))
#define IS_REACHABLE(option) IS_ENABLED(option)

#ifndef __KERNEL__
#define __KERNEL__ 1
#endif

#include <generated/autoconf.h>

#endif
