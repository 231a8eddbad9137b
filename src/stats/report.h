/* SPDX-License-Identifier: MIT */
/* The reports of usermm/stats.h, for what puts several of them together. */
#ifndef STATS_REPORT_H
#define STATS_REPORT_H

#include "base/fmt.h"

/* zones.c, vmstat.c */
void stats_print_buddyinfo(struct fmt_writer *out);
void stats_print_pagetypeinfo(struct fmt_writer *out);
void stats_print_zoneinfo(struct fmt_writer *out);
void stats_print_vmstat(struct fmt_writer *out);
/* report.c: all that stats= asks for, behind a line about the process. */
void stats_print_text(struct fmt_writer *out);
/* metrics_json.c, metrics_prometheus.c */
void stats_print_json(struct fmt_writer *out);
void stats_print_prometheus(struct fmt_writer *out);

#endif
