/* SPDX-License-Identifier: MIT */
/* Free pages of mixed slabs go back to the system. */
#ifndef SLAB_MIXED_MIXED_RELEASE_H
#define SLAB_MIXED_MIXED_RELEASE_H

void mixed_release_init(void);
/* Gives pages without a block back to the system, of at most `most` slabs. Returns how many. */
unsigned long slab_mixed_release(unsigned long most);
/* Calls mixed_table_release(), with the lock that it wants. */
unsigned long slab_mixed_release_table(void);

#endif
