/* SPDX-License-Identifier: MIT */
/*
 * The tables of `usermm inspect`, `top`, `profile` and `control`. usermm has them for its help;
 * usermm-inspect, which has the commands themselves, reads the options by them.
 */
#ifndef TOOLS_INSPECT_TABLES_H
#define TOOLS_INSPECT_TABLES_H

#include "command.h"

enum {
	KEY_INSPECT_JSON = 256,
	KEY_INSPECT_SORT,
	KEY_INSPECT_ADDRESSES,
	KEY_PROFILE_ALLOCATED,
	KEY_PROFILE_ROWS,
};

/* The forms of `top` and `profile` that their rules tell apart. */
#define FORM_PID "PID"
#define FORM_ALL "all processes"
#define FORM_TEXT "text"
#define FORM_JSON "JSON"
#define FORM_PAGE ".html"
#define FORM_PPROF ".pb and .pb.gz"

extern const struct command_option inspect_option_table[], top_option_table[],
	profile_option_table[], control_option_table[];
extern const struct command_rule inspect_rules[], top_rules[], profile_rules[];
/* The commands of `usermm inspect`, for struct command's word(). */
const char *inspect_word(unsigned int i, const char **help);
/* The names that `usermm control` knows, likewise. */
const char *control_word(unsigned int i, const char **help);

#endif
