/* SPDX-License-Identifier: MIT */
/*
 * Gives names numbers. Each name is stored once, and has a unique number as long as somebody holds
 * a reference to it. Lookups take no lock.
 */
#ifndef NAME_TABLE_H
#define NAME_TABLE_H

#include <linux/types.h>

struct name;

int name_table_init(void);
void name_table_exit(void);

/*
 * Takes a reference to the name's entry, which is created if necessary. NULL if there is no memory.
 */
struct name *name_get(const char *text, gfp_t gfp);
void name_put(struct name *name);
unsigned int name_number(const struct name *name);
/* The number of a name that somebody holds a reference to; else -ENOENT. */
int name_lookup(const char *text);

#endif
