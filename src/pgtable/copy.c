/* SPDX-License-Identifier: MIT */
/* Copies an address space, as fork does. cf. Linux mm/memory.c: copy_page_range() */
#include "pgtable/pgtable.h"

/* Makes the entry copy-on-write where it is writable; returns the child's entry. */
static uint64_t share_entry(uint64_t *entry)
{
	uint64_t old = atomic_load_relaxed(entry), new;

	do {
		new = old;
		if (old & PGTABLE_RW && !(old & PGTABLE_SHARED))
			new = (old & ~PGTABLE_RW) | PGTABLE_COW;
		/* Not a plain store: the walker may set bits meanwhile. */
	} while (new != old && !atomic_cas_relaxed(entry, &old, new));
	return new;
}

static int copy_table(struct pgtable *child, uint64_t *to, uint64_t *from,
		      enum pgtable_level level, gfp_t gfp)
{
	unsigned int nr = level == PGTABLE_PGD ? PGTABLE_USER_ENTRIES : PGTABLE_ENTRIES;

	for (unsigned int i = 0; i < nr; i++) {
		uint64_t *below;
		int error;

		if (!from[i])
			continue;
		if (entry_is_leaf(level, from[i])) {
			to[i] = share_entry(&from[i]);
			child->mapped_bytes += entry_bytes(level);
			continue;
		}
		below = table_alloc(child, level - 1, gfp);
		if (!below)
			return -ENOMEM;
		to[i] = table_entry(below);	/* nobody walks the child yet */
		error = copy_table(child, below, entry_table(from[i]), level - 1, gfp);
		if (error)
			return error;
	}
	return 0;
}

int pgtable_copy(struct pgtable *child, struct pgtable *parent, gfp_t gfp)
{
	int error;

	if (child == parent || !parent->pgd)
		return -EINVAL;
	error = pgtable_init(child, parent->pages, gfp);
	if (!error)
		error = copy_table(child, child->pgd, parent->pgd, PGTABLE_PGD, gfp);
	if (error)
		pgtable_exit(child);
	return error;
}
