/* SPDX-License-Identifier: MIT */
/* Options from the environment. */
#ifndef OS_LOAD_OPTIONS_H
#define OS_LOAD_OPTIONS_H

/*
 * Applies USERMM_OPTIONS at the first call. A bad option is one warning. Every layer that reads
 * options calls it while it is brought up.
 */
void load_options(void);

#endif
