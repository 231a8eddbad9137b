/* SPDX-License-Identifier: MIT */
/* The options of the environment, read before anything is brought up. */
#ifndef OS_LOAD_OPTIONS_H
#define OS_LOAD_OPTIONS_H

/*
 * Applies USERMM_OPTIONS, the first time; a bad option is one warning. Called by
 * every layer that reads options while it is brought up.
 */
void load_options(void);

#endif
