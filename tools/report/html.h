/* SPDX-License-Identifier: MIT */
/* Writes charts as one page, which needs nothing beside it. */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include <stdio.h>

#include "report/chart.h"

/*
 * Writes the page. folder has the page's parts (tools/report/page). 0; -1: a part cannot be read,
 * and its path is in part[].
 */
int html_write(FILE *out, const struct charts *charts, const char *title, const char *folder,
	       char *part, size_t part_bytes);

#endif
