/* SPDX-License-Identifier: MIT */
/* Reading translations. */
#include "pgtable/pgtable.h"

struct visitor {
	int (*visit)(const struct pgtable_leaf *leaf, void *arg);
	void *arg;
};

static struct pgtable_leaf leaf_of(enum pgtable_level level, uint64_t address, uint64_t entry)
{
	return (struct pgtable_leaf){
		.address = address & ~(entry_bytes(level) - 1),
		.bytes = entry_bytes(level),
		.physical = entry & PGTABLE_ADDRESS_MASK,
		.flags = entry & (PGTABLE_FLAGS | PGTABLE_PRESENT),
	};
}

bool pgtable_lookup(const struct pgtable *mm, uint64_t address, struct pgtable_leaf *leaf)
{
	const uint64_t *table = mm->pgd;

	if (!table || address >= PGTABLE_USER_END)
		return false;
	for (enum pgtable_level level = PGTABLE_PGD;; level--) {
		uint64_t entry = atomic_load_relaxed(&table[entry_index(level, address)]);

		if (!(entry & PGTABLE_PRESENT))
			return false;
		if (entry_is_leaf(level, entry)) {
			*leaf = leaf_of(level, address, entry);
			return true;
		}
		table = entry_table(entry);
	}
}

static int walk_table(const uint64_t *table, enum pgtable_level level, uint64_t address,
		      uint64_t end, const struct visitor *visitor)
{
	int result = 0;

	for (uint64_t next; address < end && !result; address = next) {
		uint64_t entry = atomic_load_relaxed(&table[entry_index(level, address)]);

		next = entry_end(level, address, end);
		if (!entry)
			continue;
		if (entry_is_leaf(level, entry)) {
			struct pgtable_leaf leaf = leaf_of(level, address, entry);

			result = visitor->visit(&leaf, visitor->arg);
		} else {
			result = walk_table(entry_table(entry), level - 1, address, next, visitor);
		}
	}
	return result;
}

int pgtable_walk(const struct pgtable *mm, uint64_t address, uint64_t bytes,
		 int (*visit)(const struct pgtable_leaf *leaf, void *arg), void *arg)
{
	const struct visitor visitor = { visit, arg };

	if (!mm->pgd || !range_is_valid(address, bytes))
		return -EINVAL;
	return walk_table(mm->pgd, PGTABLE_PGD, address, address + bytes, &visitor);
}
