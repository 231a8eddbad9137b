/* SPDX-License-Identifier: MIT */
/* Allocating tables, the list of pgds, and freeing tables after the flush. */
#include <string.h>

#include "base/check.h"
#include "mm/memmap.h"
#include "os/lock.h"
#include "os/once.h"
#include "pgtable/pgtable.h"
#include "usermm/quicklist.h"

/* cf. Linux arch/x86_64 check_pgt_cache() */
#define TRIM_MIN_PAGES 25
#define TRIM_MAX_FREE 16

#define KERNEL_ENTRIES (PGTABLE_ENTRIES - PGTABLE_USER_ENTRIES)

/* Sync: lock. It also guards the kernel's half of each pgd on the list. */
static struct {
	struct lock lock;		/* RANK_PGDS */
	struct list_head list;		/* through page->lru */
	unsigned long nr;
	uint64_t kernel[KERNEL_ENTRIES];
} pgds __large_bss;

/* Sync: constant after bring_up() */
static struct quicklist_cache *quick_pgd, *quick_pt;
static struct once pgtable_once __read_mostly;

/* The page is fresh and zero. Fills in the kernel's half and puts the pgd on the list. */
static int pgd_ctor(void *pgd)
{
	lock_acquire(&pgds.lock);
	memcpy((uint64_t *)pgd + PGTABLE_USER_ENTRIES, pgds.kernel, sizeof(pgds.kernel));
	list_add(&virt_to_page(pgd)->lru, &pgds.list);
	pgds.nr++;
	lock_release(&pgds.lock);
	return 0;
}

static void pgd_dtor(void *pgd)
{
	lock_acquire(&pgds.lock);
	list_del(&virt_to_page(pgd)->lru);
	pgds.nr--;
	lock_release(&pgds.lock);
}

/* The offset of the first wrong byte behind the first entry; -1 if there is none. */
static long pgd_check(const void *pgd)
{
	const unsigned char *entries = pgd, *kernel = (const unsigned char *)pgds.kernel;
	const long user_bytes = PGTABLE_USER_ENTRIES * sizeof(uint64_t);
	long wrong = -1;

	lock_acquire(&pgds.lock);
	for (long i = sizeof(uint64_t); i < (long)PAGE_SIZE && wrong < 0; i++)
		if (entries[i] != (i < user_bytes ? 0 : kernel[i - user_bytes]))
			wrong = i;
	lock_release(&pgds.lock);
	return wrong;
}

static int bring_up(void)
{
	const struct quicklist_state pgd = { pgd_ctor, pgd_dtor, pgd_check };

	if (!quick_pgd)
		quick_pgd = quicklist_cache_create_state("pgd", &pgd);
	if (!quick_pt)
		quick_pt = quicklist_cache_create("pt", NULL, NULL);
	if (!quick_pgd || !quick_pt)
		return -1;
	lock_init(&pgds.lock, RANK_PGDS);
	INIT_LIST_HEAD(&pgds.list);
	return 0;
}

int pgtable_set_kernel_entry(unsigned int index, uint64_t entry)
{
	struct page *page;

	if (index < PGTABLE_USER_ENTRIES || index >= PGTABLE_ENTRIES)
		return -EINVAL;
	if (!once_run(&pgtable_once, bring_up))
		return -ENOMEM;
	lock_acquire(&pgds.lock);
	pgds.kernel[index - PGTABLE_USER_ENTRIES] = entry;
	list_for_each_entry(page, &pgds.list, lru)
		atomic_store_relaxed((uint64_t *)page_address(page) + index, entry);
	lock_release(&pgds.lock);
	return 0;
}

unsigned long pgtable_nr_pgds(void)
{
	return atomic_load_relaxed(&pgds.nr);
}

/* --- The two kinds of pages ----------------------------------------------- */

static void *quick_alloc(enum pgtable_level level, gfp_t gfp)
{
	return quicklist_cache_alloc(level == PGTABLE_PGD ? quick_pgd : quick_pt, gfp);
}

static void quick_free(enum pgtable_level level, void *table)
{
	quicklist_cache_free(level == PGTABLE_PGD ? quick_pgd : quick_pt, table);
}

static void *plain_alloc(enum pgtable_level level, gfp_t gfp)
{
	void *table = (void *)get_zeroed_page(gfp);

	if (table && level == PGTABLE_PGD)
		pgd_ctor(table);
	return table;
}

static void plain_free(enum pgtable_level level, void *table)
{
	if (level == PGTABLE_PGD)
		pgd_dtor(table);
	free_page((unsigned long)table);
}

const struct pgtable_pages pgtable_quicklist_pages = { quick_alloc, quick_free };
const struct pgtable_pages pgtable_plain_pages = { plain_alloc, plain_free };

void pgtable_trim(void)
{
	if (!once_done(&pgtable_once))
		return;
	quicklist_cache_trim(quick_pgd, TRIM_MIN_PAGES, TRIM_MAX_FREE);
	quicklist_cache_trim(quick_pt, TRIM_MIN_PAGES, TRIM_MAX_FREE);
}

void pgtable_quicklist_stats(enum pgtable_level level, struct quicklist_stats *stats)
{
	if (once_run(&pgtable_once, bring_up))
		quicklist_cache_stats(level == PGTABLE_PGD ? quick_pgd : quick_pt, stats);
	else
		*stats = (struct quicklist_stats){ 0 };
}

/* --- The tables of an address space ---------------------------------------- */

uint64_t *table_alloc(struct pgtable *mm, enum pgtable_level level, gfp_t gfp)
{
	uint64_t *table = mm->pages->alloc(level, gfp);

	CHECK(!table || (mm_is_online(table) && !((unsigned long)table & ~PAGE_MASK)),
	      "pgtable: a table at %p, which is not the address of a page", (void *)table);
	if (table)
		mm->nr_tables[level]++;
	return table;
}

void table_free(struct pgtable *mm, enum pgtable_level level, uint64_t *table)
{
	mm->nr_tables[level]--;
	(mm->pages->free)(level, table);
}

void table_free_unflushed(struct pgtable *mm, enum pgtable_level level, uint64_t *table)
{
	mm->nr_tables[level]--;
	table_link(&mm->unflushed[level], table);
	mm->nr_unflushed++;
}

unsigned long pgtable_flush(struct pgtable *mm)
{
	unsigned long nr = mm->nr_unflushed;

	for (enum pgtable_level level = PGTABLE_PTE; level < NR_PGTABLE_LEVELS; level++)
		while (mm->unflushed[level])
			(mm->pages->free)(level, table_unlink(&mm->unflushed[level]));
	mm->nr_unflushed = 0;
	return nr;
}

int pgtable_init(struct pgtable *mm, const struct pgtable_pages *pages, gfp_t gfp)
{
	*mm = (struct pgtable){ .pages = pages };
	if (!pages)
		return -EINVAL;
	if (!once_run(&pgtable_once, bring_up))
		return -ENOMEM;
	mm->pgd = table_alloc(mm, PGTABLE_PGD, gfp);
	return mm->pgd ? 0 : -ENOMEM;
}

void pgtable_exit(struct pgtable *mm)
{
	if (!mm->pgd)
		return;
	/* Without tables below it the pgd need not be looked through. */
	if (mm->nr_tables[PGTABLE_PUD])
		table_unmap(mm, mm->pgd, PGTABLE_PGD, 0, PGTABLE_USER_END);
	pgtable_flush(mm);
	table_free(mm, PGTABLE_PGD, mm->pgd);
	mm->pgd = NULL;
}
