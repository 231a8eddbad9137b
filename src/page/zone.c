/* SPDX-License-Identifier: MIT */
/* Nodes and zones: how large they are, and where they lie. */
#include "page/zone.h"

#include "base/options.h"
#include "base/upward_hooks.h"
#include "mm/memmap.h"
#include "os/load_options.h"
#include "os/once.h"
#include "os/os.h"
#include "page/buddy.h"
#include "page/budget.h"
#include "page/pcp/pcp.h"
#include "page/reclaim/release.h"
#include "page/zonelist.h"
#include "percpu/percpu.h"

struct pglist_data page_nodes[MAX_NUMNODES] __large_bss __aligned(PAGE_SIZE);
unsigned int nr_online_nodes __read_mostly;
bool nodes_are_real __read_mostly;
bool page_group_by_mobility_disabled __read_mostly;
unsigned int page_zone_kinds __read_mostly;
struct lock page_drain_lock, page_grow_lock;
unsigned long page_failures;

static const char *const zone_names[MAX_NR_ZONES] = { "DMA", "DMA32", "Normal", "Movable" };

/* Sets the sizes of a node's zones that options give. */
static void fixed_sizes(size_t sizes[MAX_NR_ZONES])
{
	sizes[ZONE_DMA] = ALIGN(options.zone_dma, SECTION_BYTES);
	sizes[ZONE_DMA32] = ALIGN(options.zone_dma32, SECTION_BYTES);
	sizes[ZONE_NORMAL] = ALIGN(options.zone_normal, SECTION_BYTES);
	sizes[ZONE_MOVABLE] = ALIGN(options.zone_movable, SECTION_BYTES);
}

static size_t sum_of_sizes(const size_t sizes[MAX_NR_ZONES])
{
	size_t sum = 0;

	for (unsigned int i = 0; i < MAX_NR_ZONES; i++)
		sum += sizes[i];
	return sum;
}

/* The distances of the machine's nodes. Sync: constant after nodes_init() */
static unsigned int distances[MAX_NUMNODES][MAX_NUMNODES] __large_bss;
static uint64_t nodes_with_cpus __read_mostly;

unsigned int node_distance(unsigned int from, unsigned int to)
{
	/* Nodes that options make up lie in a row. */
	if (!nodes_are_real)
		return LOCAL_DISTANCE * (1 + (from > to ? from - to : to - from));
	return distances[from][to];
}

/* Sync: written before there are threads */
static unsigned int (*node_id_hook)(void) __read_mostly;

void numa_set_node_id_hook(unsigned int (*hook)(void))
{
	node_id_hook = hook;
}

/*
 * Node numbers are taken modulo the number of nodes: the CPUs of a node beyond the last one share
 * another node's lists.
 */
unsigned int numa_cpu_node(unsigned int cpu)
{
	int node = nodes_are_real ? os_cpu_node(cpu) : (int)cpu;

	return node < 0 ? 0 : (unsigned int)node % nr_online_nodes;
}

bool numa_node_has_cpus(unsigned int node)
{
	return !nodes_are_real || nodes_with_cpus >> node & 1;
}

unsigned int numa_node_id_slow(void)
{
	int slot;

	if (node_id_hook)
		return node_id_hook();
	if (nodes_are_real)
		return os_current_node() % nr_online_nodes;
	slot = percpu_current_slot();
	return slot < 0 ? 0 : (unsigned int)slot % nr_online_nodes;
}

static void init_zone(struct zone *z, unsigned int node, enum zone_type index, size_t bytes)
{
	z->name = zone_names[index];
	z->node = node;
	z->index = index;
	z->managed_pages = bytes >> PAGE_SHIFT;
	z->free_pages = z->managed_pages;
	if (z->managed_pages)
		page_zone_kinds |= 1u << index;
	lock_init(&z->lock, RANK_ZONE);
	INIT_LIST_HEAD(&z->vacated);
	buddy_init(z);
}

/*
 * Fills in the zones whose sizes options give. Zones of kinds that no node has stay zero;
 * populated_zone_of() does not look at them.
 */
static void init_fixed_zones(const size_t sizes[MAX_NR_ZONES])
{
	for (unsigned int node = 0; node < nr_online_nodes; node++)
		for (unsigned int i = 0; i < MAX_NR_ZONES; i++)
			if (sizes[i])
				init_zone(&NODE_DATA(node)->node_zones[i], node, i, sizes[i]);
}

/*
 * Brings each zone online in its place, in the order of addresses, node by node. A call after a
 * failure goes on where the last one stopped.
 */
static int grow_fixed_zones(void)
{
	struct zone *z;

	for_each_populated_zone(z)
		if (!zone_grow_fully(z))
			return -1;
	return 0;
}

/* A node's share of the budget is proportional to this. */
static uint64_t node_weight(unsigned int node, uint64_t with_memory)
{
	if (!nodes_are_real)
		return 1;
	return with_memory >> node & 1 ? os_node_bytes(node) : 0;
}

/*
 * A node's share of the budget is its share of memory. The sections that remain go to the first
 * nodes. Sets bytes[] for each node.
 */
static void share_budget(size_t budget, size_t bytes[MAX_NUMNODES])
{
	uint64_t with_memory = nodes_are_real ? os_nodes_with_memory() : 0;
	uint64_t sum = 0, weight[MAX_NUMNODES];
	size_t sections = budget / SECTION_BYTES, left = sections;

	for (unsigned int node = 0; node < nr_online_nodes; node++)
		sum += weight[node] = node_weight(node, with_memory);
	for (unsigned int node = 0; node < nr_online_nodes; node++) {
		bytes[node] = (size_t)((unsigned __int128)sections * weight[node] /
				       max(sum, (uint64_t)1)) * SECTION_BYTES;
		left -= bytes[node] / SECTION_BYTES;
	}
	for (unsigned int node = 0; node < nr_online_nodes; node++)
		if (left && weight[node]) {
			bytes[node] += SECTION_BYTES;
			left--;
		}
}

/* Makes only Normal zones, which grow on demand. */
static void divide_budget(void)
{
	size_t bytes[MAX_NUMNODES];

	share_budget(mm_facts.budget_bytes, bytes);
	for (unsigned int node = 0; node < nr_online_nodes; node++)
		init_zone(&NODE_DATA(node)->node_zones[ZONE_NORMAL], node, ZONE_NORMAL,
			  bytes[node]);
}

/*
 * Sets the zone's size. It keeps at least one page, because a zone without pages would no longer
 * count as populated.
 */
static void resize_zone(struct zone *z, unsigned long pages)
{
	unsigned long managed;

	if (!zone_acquire(z))
		return;
	managed = z->managed_pages;
	if (pages > managed) {
		zone_add_free_pages(z, pages - managed);
		atomic_store_relaxed(&z->managed_pages, pages);
	}
	atomic_store_relaxed(&z->excess, managed - min(managed, max(pages, 1UL)));
	lock_release(&z->lock);
}

seldom_called void zones_resize(size_t bytes)
{
	size_t share[MAX_NUMNODES];
	struct zone *z;

	share_budget(bytes, share);
	for (unsigned int node = 0; node < nr_online_nodes; node++) {
		z = &NODE_DATA(node)->node_zones[ZONE_NORMAL];
		if (populated_zone(z) && share[node])
			resize_zone(z, share[node] >> PAGE_SHIFT);
	}
	zones_set_watermarks();
	pcp_resize();
	for_each_populated_zone(z)
		if (zone_acquire(z))	/* gives up the excess pages that are free */
			lock_release(&z->lock);
}

/* cf. Linux build_all_zonelists(). */
static void decide_grouping(void)
{
	page_group_by_mobility_disabled =
		nodes_managed_pages() < (MIGRATE_TYPES << MM_PAGEBLOCK_ORDER);
}

/*
 * The number of the machine's nodes if this process may have memory of several; else 1. Also 1 if
 * the process has a memory policy: then the kernel places the pages of that one node by the policy.
 */
static unsigned int count_real_nodes(void)
{
	uint64_t with_memory = os_nodes_with_memory() & ((1UL << MAX_NUMNODES) - 1);
	unsigned int online;

	if (!(with_memory & (with_memory - 1)) || os_has_memory_policy())
		return 1;
	online = OS_NODES - (unsigned int)__builtin_clzl(os_nodes_online());
	online = min(online, (unsigned int)MAX_NUMNODES);
	nodes_with_cpus = os_read_node_cpus();
	for (unsigned int from = 0; from < online; from++)
		for (unsigned int to = 0; to < online; to++)
			distances[from][to] = os_node_distance(from, to);
	return online;
}

/* Sets up nodes and zones. Zones of fixed sizes have no memory yet. */
static int describe(void)
{
	size_t sizes[MAX_NR_ZONES], fixed;
	bool by_options;

	load_options();
	fixed_sizes(sizes);
	fixed = sum_of_sizes(sizes);
	by_options = options.nodes || fixed;
	/* Atomic, since quicklists read the number before there are nodes. */
	atomic_store_relaxed(&nr_online_nodes, by_options ? max((unsigned int)options.nodes, 1u) :
							    count_real_nodes());
	nodes_are_real = !by_options && nr_online_nodes > 1;
	mm_fixed_bytes = fixed * nr_online_nodes;
	if (percpu_init() || mm_init())
		return -1;
	lock_init(&page_grow_lock, RANK_GROW);
	lock_init(&page_drain_lock, RANK_DRAIN);
	if (fixed)
		init_fixed_zones(sizes);
	else
		divide_budget();
	return 0;
}

static int bring_up(void)
{
	static struct once described __read_mostly;

	if (!once_run(&described, describe) || (mm_fixed_bytes && grow_fixed_zones()))
		return -1;
	decide_grouping();
	zones_set_watermarks();
	zonelists_build();
	release_init();
	return 0;
}

int nodes_init(void)
{
	static struct once once __read_mostly;

	return once_run(&once, bring_up) ? 0 : -1;
}

/* --- Looking at all of them ------------------------------------------------------- */

static struct zone *populated_zone_from(unsigned int number)
{
	for (; number < nr_online_nodes * MAX_NR_ZONES; number++) {
		struct zone *z = populated_zone_of(number / MAX_NR_ZONES, number % MAX_NR_ZONES);

		if (z)
			return z;
	}
	return NULL;
}

struct zone *first_populated_zone(void)
{
	return populated_zone_from(0);
}

struct zone *next_populated_zone(const struct zone *z)
{
	return populated_zone_from(z->node * MAX_NR_ZONES + z->index + 1);
}

/* The largest zone; of equal ones the first. */
struct zone *budget_zone(void)
{
	struct zone *largest = NODE_DATA(0)->node_zones + ZONE_NORMAL, *z;

	for_each_populated_zone(z)
		if (zone_managed_pages(z) > zone_managed_pages(largest))
			largest = z;
	return largest;
}

unsigned long nodes_free_pages(void)
{
	unsigned long pages = 0;
	struct zone *z;

	for_each_populated_zone(z)
		pages += zone_free_pages(z);
	return pages;
}

/* Counts are read while they change: a result below 0 becomes 0. */
unsigned long nodes_used_pages(void)
{
	unsigned long others = nodes_free_pages() + pcp_pages() + budget_mapped_pages();
	unsigned long managed = nodes_managed_pages();

	return managed - min(others, managed);
}

bool nodes_have_budget(void)
{
	struct zone *z;

	for_each_populated_zone(z)
		if (zone_free_pages(z) > wmark_pages(z, WMARK_MIN))
			return true;
	return false;
}

static bool zone_has_piece(const struct zone *z, unsigned int order)
{
	for (; order < MAX_PAGE_ORDER; order++)
		for (unsigned int type = 0; type < MIGRATE_PCPTYPES; type++)
			if (atomic_load_relaxed(&z->free_area[order].nr_of_type[type]))
				return true;
	return false;
}

bool nodes_have_piece(unsigned int order)
{
	struct zone *z;

	for_each_populated_zone(z)
		if (zone_has_piece(z, order))
			return true;
	return false;
}

unsigned long nodes_managed_pages(void)
{
	unsigned long pages = 0;
	struct zone *z;

	for_each_populated_zone(z)
		pages += zone_managed_pages(z);
	return pages;
}

unsigned long nodes_dirty_pages(void)
{
	unsigned long pages = 0;
	const struct zone *z;

	for_each_populated_zone(z)
		pages += atomic_load_relaxed(&z->dirty_pages);
	return pages;
}

void zone_set_flag(struct zone *z, unsigned long flag)
{
	if (!zone_test_flag(z, flag))
		atomic_or_relaxed(&z->flags, flag);
}

void zone_clear_flag(struct zone *z, unsigned long flag)
{
	if (zone_test_flag(z, flag))
		atomic_and_relaxed(&z->flags, ~flag);
}

FOR_KERNEL(budget_zone);
FOR_KERNEL(node_distance);
FOR_KERNEL(nodes_are_real);
FOR_KERNEL(nodes_free_pages);
FOR_KERNEL(nodes_managed_pages);
FOR_KERNEL(nr_online_nodes);
FOR_KERNEL(numa_cpu_node);
FOR_KERNEL(numa_node_has_cpus);
FOR_KERNEL(numa_set_node_id_hook);
FOR_KERNEL(page_nodes);
