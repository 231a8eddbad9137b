/* SPDX-License-Identifier: MIT */
/*
 * Makes the per-CPU page lists, and fills the tables in which allocations and frees find them. A
 * table's entry is NULL until its list is there, and while lists are hidden. NULL is empty for a
 * pop and full for a push. pcp.c takes from the lists and gives to them.
 */
#include "base/options.h"
#include "page/pcp/pcp_list.h"
#include "percpu/remote.h"

/*
 * The most blocks that a list holds: 2 MiB of order 0, whose array is 4 KiB; 1 MiB of orders 1 to
 * 3; 2 MiB of larger ones, and at least one block; 16 MiB of huge ones (order 9).
 */
static const uint32_t capacity_of_order[NR_PAGE_ORDERS] = {
	PCP_CAPACITY_MAX, 127, 63, 31, 31, 15, 7, 3, 1, 8, 1,
};

/*
 * The pages that each list of an exact number holds, and at least one block: 2.3 MiB for all such
 * lists.
 */
#define EXACT_LISTED_PAGES (128 * KIB / PAGE_SIZE)

struct percpu_array *pcp_alloc_lists[PCP_ALLOC_LISTS] __large_bss __aligned(PAGE_SIZE);
struct percpu_array *pcp_node_alloc_lists[MAX_NUMNODES][PCP_ALLOC_LISTS] __large_bss;
struct percpu_array *pcp_free_lists[PAGE_CLASSES_END] __large_bss;
struct zone *pcp_exact_zone __read_mostly;
/* Can large blocks be taken back from other CPUs? Sync: constant after pcp_init() */
static bool lists_large_blocks __read_mostly;

static size_t list_bytes(uint32_t most)
{
	return sizeof(struct percpu_array) + most * sizeof(void *);
}

/* Slabs come from this list, also those of malloc(): a small process needs no other. */
#define FIRST_LIST list_index(PAGE_ALLOC_COSTLY_ORDER, MIGRATE_UNMOVABLE)

static uint32_t most_blocks(const struct zone *z, unsigned int index)
{
	return index_blocks_in(index, atomic_load_relaxed(&z->pcp_high_max));
}

static void init_list(struct zone *z, unsigned int index)
{
	unsigned int order = index_order(index);
	uint32_t most = min(capacity_of_order[order], most_blocks(z, index));
	struct percpu_array *list;

	if (!most || (!lists_large_blocks && !pcp_allowed_order(order)))
		return;
	list = percpu_alloc(list_bytes(most), CACHE_LINE_BYTES);
	if (!list)	/* with very many zones, blocks of this kind get no list */
		return;
	z->pcp_capacity[index] = most;
	/* pairs with list_of(): capacity and slots */
	atomic_store_release(&z->pcp_lists[index], list);
}

/*
 * Only the tuning may fail. It comes first, so a zone that has its tuning has its lists. FIRST_LIST
 * comes next, so that both lie on one page.
 */
static int init_zone_lists(struct zone *z)
{
	if (z->pcp_tuning)
		return 0;
	z->pcp_tuning = percpu_alloc(sizeof(struct pcp_tuning), CACHE_LINE_BYTES);
	if (!z->pcp_tuning)
		return -1;
	init_list(z, FIRST_LIST);
	for (unsigned int i = 0; i < NR_PCP_ORDER_LISTS; i++)
		if (i != FIRST_LIST)
			init_list(z, i);
	return 0;
}

/*
 * Blocks of the highest order get no list here: pcp_free_slow() has to look at both of their
 * pageblocks.
 *
 * The stores to this table and to the next ones are relaxed, as the loads are (pcp_alloc_list(),
 * pcp_free_list(), pcp_pop_again()). A fresh list is zero, so it is empty and full until a slow
 * path has prepared it. A slow path takes capacity and limits from the zone, by list_of().
 */
static void set_free_lists(const struct zone *z)
{
	for (unsigned int type = 0; type < MIGRATE_ISOLATE; type++) {
		struct percpu_array **lists = &pcp_free_lists[page_class_of(z, type)];

		for (unsigned int order = 0; order <= PAGEBLOCK_ORDER; order++)
			if (type_is_listed(order, type))
				atomic_store_relaxed(&lists[order], list_of(z,
						     list_index(order, list_type(type))));
	}
}

/* The most blocks that the list would hold. */
static uint32_t exact_capacity(const struct zone *z, unsigned int index)
{
	unsigned long most = max(EXACT_LISTED_PAGES / index_pages(index), 1UL);

	return min((uint32_t)most, most_blocks(z, index));
}

/*
 * Makes the lists of exact numbers of pages, all in one piece of the slots' memory, because they
 * are many and short.
 */
static void set_exact_lists(struct zone *z)
{
	size_t bytes = 0;
	char *list;

	if (!lists_large_blocks)
		return;
	for (unsigned int i = NR_PCP_ORDER_LISTS; i < NR_PCP_LISTS; i++)
		bytes += list_bytes(exact_capacity(z, i));
	list = percpu_alloc(bytes, CACHE_LINE_BYTES);
	if (!list)
		return;
	for (unsigned int i = NR_PCP_ORDER_LISTS; i < NR_PCP_LISTS; i++) {
		z->pcp_capacity[i] = exact_capacity(z, i);
		/* pairs with list_of(): capacity and slots */
		atomic_store_release(&z->pcp_lists[i], (struct percpu_array *)list);
		list += list_bytes(z->pcp_capacity[i]);
	}
	/* pairs with pcp_pop_exact() and pcp_give_exact(): the lists */
	atomic_store_release(&pcp_exact_zone, z);
}

/* The node's zone of that kind, or else the nearest kind below that has memory; or NULL. */
static struct zone *first_zone_for(unsigned int node, enum zone_type highest)
{
	for (unsigned int i = highest + 1u; i-- > 0;) {
		struct zone *z = populated_zone_of(node, i);

		if (z)
			return z;
	}
	return NULL;
}

/*
 * Fills the node's table of lists. The bits of GFP_PLACE_MASK are its index, since they alone say
 * which of the node's zones is asked first.
 */
static void set_alloc_lists(unsigned int node, struct percpu_array **lists)
{
	for (gfp_t gfp = 0; gfp <= GFP_PLACE_MASK; gfp++) {
		struct zone *z;

		if (!gfp_zone_is_valid(gfp) || !gfp_mobility_is_valid(gfp))
			continue;
		z = first_zone_for(node, gfp_zone(gfp));
		if (!z)
			continue;
		for (unsigned int order = 0; order < NR_PAGE_ORDERS; order++)
			atomic_store_relaxed(&lists[(gfp << CLASS_ORDER_BITS) + order],
					     list_of(z, list_index(order, gfp_migratetype(gfp))));
		if (!gfp && nr_online_nodes == 1)
			set_exact_lists(z);
	}
}

/*
 * With several nodes the fast path finds no list. The slow path finds the list in its node's table.
 */
static void set_all_alloc_lists(void)
{
	if (nr_online_nodes == 1)
		set_alloc_lists(0, pcp_alloc_lists);
	else
		for (unsigned int node = 0; node < nr_online_nodes; node++)
			set_alloc_lists(node, pcp_node_alloc_lists[node]);
}

/*
 * Fast paths read these bytes for the first zone. A slot's piece must not lie at the same offset in
 * a page, since then its cache lines would conflict with them (percpu_keep_apart()).
 */
static void keep_tables_apart(void)
{
	const struct zone *z = first_populated_zone();

	percpu_keep_apart(&pcp_alloc_lists[0], sizeof(pcp_alloc_lists[0]) << CLASS_ORDER_BITS);
	percpu_keep_apart(&pcp_free_lists[page_class_of(z, 0)],
			  MIGRATE_PCPTYPES * sizeof(pcp_free_lists[0]) << CLASS_ORDER_BITS);
	percpu_keep_apart(mm_window.pageblocks, CACHE_LINE_BYTES);
	percpu_keep_apart(&pcp_exact_zone, sizeof(pcp_exact_zone));
}

/*
 * Writes to the list that this CPU will pop from first: to read it first would cost a second page
 * fault.
 */
static void touch_first_list(void)
{
	const struct zone *z = first_zone_for(numa_node_id(), ZONE_NORMAL);

	if (z)
		percpu_array_touch(list_of(z, FIRST_LIST));
}

static unsigned int cpus_of_node(void)
{
	return max(percpu_nr_cpus() / nr_online_nodes, 1u);
}

void pcp_resize(void)
{
	struct zone *z;

	for_each_populated_zone(z)
		if (!options.pcp)
			pcp_set_high(z, cpus_of_node());
}

int pcp_init(void)
{
	struct zone *z;

	lists_large_blocks = percpu_can_stop();
	keep_tables_apart();
	for_each_populated_zone(z) {
		pcp_set_limits(z, cpus_of_node(), !options.pcp);
		if (init_zone_lists(z))
			return -1;
		set_free_lists(z);
	}
	set_all_alloc_lists();
	touch_first_list();
	return 0;
}

static void hide_alloc_list(unsigned int index)
{
	atomic_store_relaxed(&pcp_alloc_lists[index], NULL);
	for (unsigned int node = 0; nr_online_nodes > 1 && node < nr_online_nodes; node++)
		atomic_store_relaxed(&pcp_node_alloc_lists[node][index], NULL);
}

void pcp_hide_lists(void)
{
	for (unsigned int i = 0; i < PCP_ALLOC_LISTS; i++)
		hide_alloc_list(i);
	for (unsigned int i = 0; i < ARRAY_SIZE(pcp_free_lists); i++)
		atomic_store_relaxed(&pcp_free_lists[i], NULL);
	atomic_store_relaxed(&pcp_exact_zone, NULL);
}

void pcp_hide_movable_lists(void)
{
	for (unsigned int i = 0; i < PCP_ALLOC_LISTS; i++)
		if ((gfp_t)(i >> CLASS_ORDER_BITS) & __GFP_MOVABLE)
			hide_alloc_list(i);
}
