/* SPDX-License-Identifier: MIT */
/* What usermm_pages writes. Each function writes one file; main.c opens it. */
#ifndef PAGES_PAGES_H
#define PAGES_PAGES_H

#include <stdio.h>

#include "pages/header.h"
#include "usermm/command.h"

/* Section 1: usermm(1), and one for each command. */
void pages_write_overview(FILE *out);
void pages_write_command(FILE *out, const struct command *command);
/* "selftest percpu" has the page usermm-selftest-percpu. Valid until the next call. */
const char *pages_command_name(const struct command *command);

/* usermm-options(7), and docs/options.md. */
void pages_write_options(FILE *out);
void pages_write_options_markdown(FILE *out);

/*
 * Section 3: usermm(3), and one for each header. The section's name has "usermm" at its end, since
 * other packages have pages of some of the calls.
 */
#define PAGES_CALLS_SECTION "3usermm"
void pages_write_library(FILE *out, const struct header *headers, unsigned int nr);
void pages_write_header(FILE *out, const struct header *header);
/* "usermm_slab" for slab.h, "usermm" for usermm.h. Valid until the next call. */
const char *pages_header_name(const struct header *header);

void pages_write_bash(FILE *out);
void pages_write_zsh(FILE *out);
void pages_write_fish(FILE *out);

#endif
