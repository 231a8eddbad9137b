/* SPDX-License-Identifier: MIT */
#ifndef STATS_SLAB_ATTRIBUTES_H
#define STATS_SLAB_ATTRIBUTES_H

#include "slab/counters.h"

/* The attributes of enum slab_counter. */
extern const char *const slab_counter_names[NR_SLAB_COUNTERS];

#endif
