/* SPDX-License-Identifier: MIT */
/*
 * Numbers for names. Each name is stored once and has a unique number as long as somebody holds it.
 * Lookups take no lock.
 */
#ifndef NAME_TABLE_H
#define NAME_TABLE_H

#include <linux/types.h>

struct name;

int name_table_init(void);
void name_table_exit(void);

/* Takes a reference of the name's entry, which is created if necessary. NULL without memory. */
struct name *name_get(const char *text, gfp_t gfp);
void name_put(struct name *name);
unsigned int name_number(const struct name *name);
/* The number of a name that somebody holds, or -ENOENT. */
int name_lookup(const char *text);

#endif
