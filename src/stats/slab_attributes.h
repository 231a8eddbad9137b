/* SPDX-License-Identifier: MIT */
#ifndef STATS_SLAB_ATTRIBUTES_H
#define STATS_SLAB_ATTRIBUTES_H

#include "slab/counters.h"

/* For each enum slab_counter, the name of its attribute, as in Linux's /sys/kernel/slab. */
extern const char *const slab_counter_names[NR_SLAB_COUNTERS];

#endif
