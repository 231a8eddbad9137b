/* SPDX-License-Identifier: MIT */
/* Changing translations: map, unmap, protect, and splitting huge entries. */
#include "base/check.h"
#include "pgtable/pgtable.h"

/* A request of pgtable_map(). */
struct mapping {
	uint64_t delta;		/* physical minus address */
	uint64_t flags;
	bool huge;
	void *spare[PGTABLE_PGD];	/* reserved tables, linked like unflushed ones */
};

/* --- Unmapping ------------------------------------------------------------- */

static bool table_is_empty(const uint64_t *table)
{
	for (unsigned int i = 0; i < PGTABLE_ENTRIES; i++)
		if (table[i])
			return false;
	return true;
}

static void unmap_entry(struct pgtable *mm, uint64_t *entry, enum pgtable_level level,
			uint64_t address, uint64_t end)
{
	bool whole = end - address == entry_bytes(level);
	uint64_t *below;

	if (entry_is_leaf(level, *entry)) {
		atomic_store_relaxed(entry, 0);
		mm->mapped_bytes -= entry_bytes(level);
		return;
	}
	below = entry_table(*entry);
	table_unmap(mm, below, level - 1, address, end);
	if (whole || table_is_empty(below)) {
		atomic_store_relaxed(entry, 0);
		table_free_unflushed(mm, level - 1, below);
	}
}

void table_unmap(struct pgtable *mm, uint64_t *table, enum pgtable_level level,
		 uint64_t address, uint64_t end)
{
	for (uint64_t next; address < end; address = next) {
		uint64_t *entry = &table[entry_index(level, address)];

		next = entry_end(level, address, end);
		if (*entry)
			unmap_entry(mm, entry, level, address, next);
	}
}

/* --- Splitting ------------------------------------------------------------- */

/* Replaces a huge entry by a table of smaller entries with the same translations. */
static int split_entry(struct pgtable *mm, uint64_t *entry, enum pgtable_level level, gfp_t gfp)
{
	uint64_t *below = table_alloc(mm, level - 1, gfp);
	uint64_t small = level - 1 == PGTABLE_PTE ? *entry & ~PGTABLE_PSE : *entry;

	if (!below)
		return -ENOMEM;
	for (unsigned int i = 0; i < PGTABLE_ENTRIES; i++)
		below[i] = small + i * entry_bytes(level - 1);
	/*
	 * pairs with the load of a walker outside the library (a processor, a simulator), which
	 * follows the entry to the table: it finds the table filled
	 */
	atomic_store_release(entry, table_entry(below));
	return 0;
}

/* Splits huge entries so that none reaches across this address. */
static int split_at(struct pgtable *mm, uint64_t address, gfp_t gfp)
{
	uint64_t *table = mm->pgd;

	for (enum pgtable_level level = PGTABLE_PGD; level > PGTABLE_PTE; level--) {
		uint64_t *entry = &table[entry_index(level, address)];

		if (!*entry || !(address & (entry_bytes(level) - 1)))
			return 0;
		if (entry_is_leaf(level, *entry)) {
			int error = split_entry(mm, entry, level, gfp);

			if (error)
				return error;
		}
		table = entry_table(*entry);
	}
	return 0;
}

static int split_borders(struct pgtable *mm, uint64_t address, uint64_t end, gfp_t gfp)
{
	int error = split_at(mm, address, gfp);

	if (!error && end < PGTABLE_USER_END)
		error = split_at(mm, end, gfp);
	return error;
}

int pgtable_unmap(struct pgtable *mm, uint64_t address, uint64_t bytes, gfp_t gfp)
{
	int error;

	if (!mm->pgd || !range_is_valid(address, bytes))
		return -EINVAL;
	error = split_borders(mm, address, address + bytes, gfp);
	if (!error)
		table_unmap(mm, mm->pgd, PGTABLE_PGD, address, address + bytes);
	return error;
}

/* --- Mapping --------------------------------------------------------------- */

/* Is one entry of this level enough for the range? */
static bool maps_by_one_entry(enum pgtable_level level, const struct mapping *map,
			      uint64_t address, uint64_t end)
{
	if (level == PGTABLE_PTE)
		return true;
	return map->huge && level < PGTABLE_PGD && end - address == entry_bytes(level) &&
	       !(map->delta & (entry_bytes(level) - 1));
}

static int reserve_table(struct pgtable *mm, struct mapping *map, enum pgtable_level level,
			 gfp_t gfp)
{
	uint64_t *table = table_alloc(mm, level, gfp);

	if (!table)
		return -ENOMEM;
	table_link(&map->spare[level], table);
	return 0;
}

/*
 * Reserves all tables that the range needs below this table (NULL: this one is missing, too).
 * -EEXIST if something is mapped there. The tree does not change. So a call that fails leaves no
 * part of its mapping behind.
 */
static int reserve_tables(struct pgtable *mm, const uint64_t *table, enum pgtable_level level,
			  struct mapping *map, uint64_t address, uint64_t end, gfp_t gfp)
{
	int error = 0;

	if (!table && level == PGTABLE_PTE)
		return 0;
	for (uint64_t next; address < end && !error; address = next) {
		uint64_t entry = table ? table[entry_index(level, address)] : 0;

		next = entry_end(level, address, end);
		if (maps_by_one_entry(level, map, address, next)) {
			error = entry ? -EEXIST : 0;
			continue;
		}
		if (entry && entry_is_leaf(level, entry))
			return -EEXIST;
		if (!entry)
			error = reserve_table(mm, map, level - 1, gfp);
		if (!error)
			error = reserve_tables(mm, entry ? entry_table(entry) : NULL, level - 1,
					       map, address, next, gfp);
	}
	return error;
}

static void free_spare(struct pgtable *mm, struct mapping *map)
{
	for (enum pgtable_level level = PGTABLE_PTE; level < PGTABLE_PGD; level++)
		while (map->spare[level])
			table_free(mm, level, table_unlink(&map->spare[level]));
}

/* map->spare has all the tables that this needs. */
static void map_in_table(struct pgtable *mm, uint64_t *table, enum pgtable_level level,
			 struct mapping *map, uint64_t address, uint64_t end)
{
	for (uint64_t next; address < end; address = next) {
		uint64_t *entry = &table[entry_index(level, address)], *below;

		next = entry_end(level, address, end);
		if (maps_by_one_entry(level, map, address, next)) {
			ASSERT(!*entry);
			atomic_store_relaxed(entry, (address + map->delta) | map->flags |
						    PGTABLE_PRESENT |
						    (level > PGTABLE_PTE ? PGTABLE_PSE : 0));
			mm->mapped_bytes += entry_bytes(level);
			continue;
		}
		below = *entry ? entry_table(*entry) : table_unlink(&map->spare[level - 1]);
		map_in_table(mm, below, level - 1, map, address, next);
		/* pairs with a walker's load, as in split_entry(): the table is filled */
		if (!*entry)
			atomic_store_release(entry, table_entry(below));
	}
}

int pgtable_map(struct pgtable *mm, uint64_t address, uint64_t physical, uint64_t bytes,
		uint64_t flags, bool huge, gfp_t gfp)
{
	struct mapping map = { .delta = physical - address, .flags = flags, .huge = huge };
	int error;

	if (!mm->pgd || !range_is_valid(address, bytes) || physical & ~PGTABLE_ADDRESS_MASK ||
	    bytes > PGTABLE_ADDRESS_MASK + PAGE_SIZE - physical || flags & ~PGTABLE_FLAGS)
		return -EINVAL;
	error = reserve_tables(mm, mm->pgd, PGTABLE_PGD, &map, address, address + bytes, gfp);
	if (!error)
		map_in_table(mm, mm->pgd, PGTABLE_PGD, &map, address, address + bytes);
	free_spare(mm, &map);
	return error;
}

/* --- Protection ------------------------------------------------------------ */

static void change_entry(uint64_t *entry, uint64_t set, uint64_t clear)
{
	uint64_t old = atomic_load_relaxed(entry);

	/* Not a plain store: the walker may set PGTABLE_ACCESSED and PGTABLE_DIRTY meanwhile. */
	while (!atomic_cas_relaxed(entry, &old, (old & ~clear) | set))
		;
}

static void protect_in_table(uint64_t *table, enum pgtable_level level, uint64_t address,
			     uint64_t end, uint64_t set, uint64_t clear)
{
	for (uint64_t next; address < end; address = next) {
		uint64_t *entry = &table[entry_index(level, address)];

		next = entry_end(level, address, end);
		if (!*entry)
			continue;
		if (entry_is_leaf(level, *entry))
			change_entry(entry, set, clear);
		else
			protect_in_table(entry_table(*entry), level - 1, address, next, set, clear);
	}
}

int pgtable_protect(struct pgtable *mm, uint64_t address, uint64_t bytes, uint64_t set,
		    uint64_t clear, gfp_t gfp)
{
	int error;

	if (!mm->pgd || !range_is_valid(address, bytes) || (set | clear) & ~PGTABLE_FLAGS)
		return -EINVAL;
	error = split_borders(mm, address, address + bytes, gfp);
	if (!error)
		protect_in_table(mm->pgd, PGTABLE_PGD, address, address + bytes, set, clear);
	return error;
}

/* The address's pte, or NULL. No huge entry covers the address: it was split. */
static uint64_t *find_pte(struct pgtable *mm, uint64_t address)
{
	uint64_t *table = mm->pgd;

	for (enum pgtable_level level = PGTABLE_PGD; level > PGTABLE_PTE; level--) {
		uint64_t entry = table[entry_index(level, address)];

		if (!entry)
			return NULL;
		table = entry_table(entry);
	}
	return &table[entry_index(PGTABLE_PTE, address)];
}

int pgtable_break_cow(struct pgtable *mm, uint64_t address, uint64_t physical, gfp_t gfp)
{
	struct pgtable_leaf leaf;
	uint64_t *pte, old;
	int error;

	if (!mm->pgd || !range_is_valid(address, PAGE_SIZE) || physical & ~PGTABLE_ADDRESS_MASK)
		return -EINVAL;
	if (!pgtable_lookup(mm, address, &leaf) || !(leaf.flags & PGTABLE_COW))
		return -ENOENT;
	error = split_borders(mm, address, address + PAGE_SIZE, gfp);
	if (error)
		return error;
	pte = find_pte(mm, address);
	old = atomic_load_relaxed(pte);
	while (!atomic_cas_relaxed(pte, &old,
						(old & ~(PGTABLE_ADDRESS_MASK | PGTABLE_COW)) |
						physical | PGTABLE_RW))
		;
	return 0;
}
