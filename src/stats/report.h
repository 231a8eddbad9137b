/* SPDX-License-Identifier: MIT */
/* The reports of usermm/stats.h as functions that print to a writer. */
#ifndef STATS_REPORT_H
#define STATS_REPORT_H

#include "base/fmt.h"

/* zones.c, vmstat.c */
void stats_print_buddyinfo(struct fmt_writer *out);
void stats_print_pagetypeinfo(struct fmt_writer *out);
void stats_print_zoneinfo(struct fmt_writer *out);
void stats_print_vmstat(struct fmt_writer *out);
/* report.c: a line about the process, then all that stats= asks for. */
void stats_print_text(struct fmt_writer *out);
/* metrics_json.c, metrics_prometheus.c */
void stats_print_json(struct fmt_writer *out);
void stats_print_prometheus(struct fmt_writer *out);

#endif
