/* SPDX-License-Identifier: MIT */
/* Nodes and zones: how large they are, where they lie, and in which order they are asked. */
#include "page/zone.h"

#include "base/options.h"
#include "mm/memmap.h"
#include "os/load_options.h"
#include "os/os.h"
#include "page/pcp.h"
#include "page/zonelist.h"
#include "percpu/percpu.h"

struct pglist_data page_nodes[MAX_NUMNODES];
unsigned int nr_online_nodes __read_mostly;
bool nodes_are_real __read_mostly;
bool page_group_by_mobility_disabled __read_mostly;
unsigned int page_zone_kinds __read_mostly;
struct lock page_drain_lock, page_grow_lock;
unsigned long page_failures;

static const char *const zone_names[MAX_NR_ZONES] = { "DMA", "DMA32", "Normal", "Movable" };

/* The sizes that options give, of one node. */
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

unsigned int node_distance(unsigned int from, unsigned int to)
{
	/* Nodes that are nodes in name only stand in a row. */
	if (!nodes_are_real)
		return LOCAL_DISTANCE * (1 + (from > to ? from - to : to - from));
	return os_node_distance(from, to);
}

unsigned int numa_node_id_slow(void)
{
	int slot;

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
	buddy_init(z);
}

/* Each zone in its place, in the order of addresses, node by node. */
static int place_fixed_zones(const size_t sizes[MAX_NR_ZONES])
{
	for (unsigned int node = 0; node < nr_online_nodes; node++)
		for (unsigned int i = 0; i < MAX_NR_ZONES; i++) {
			struct zone *z = &NODE_DATA(node)->node_zones[i];

			init_zone(z, node, i, sizes[i]);
			if (!zone_grow_fully(z))
				return -1;
		}
	return 0;
}

/* Normal zones alone, which grow on demand; a node's share is that of its memory. */
static void divide_budget(void)
{
	uint64_t sum = 0, bytes[MAX_NUMNODES];

	for (unsigned int node = 0; node < nr_online_nodes; node++) {
		bytes[node] = nodes_are_real ? os_node_bytes(node) : 1;
		sum += bytes[node];
	}
	for (unsigned int node = 0; node < nr_online_nodes; node++) {
		size_t share = (size_t)((unsigned __int128)mm_facts.budget_bytes * bytes[node] /
					max(sum, (uint64_t)1));

		if (nr_online_nodes == 1)
			share = mm_facts.budget_bytes;
		for (unsigned int i = 0; i < MAX_NR_ZONES; i++)
			init_zone(&NODE_DATA(node)->node_zones[i], node, i,
				  i == ZONE_NORMAL ? ALIGN_DOWN(share, SECTION_BYTES) : 0);
	}
}

/* cf. Linux build_all_zonelists(). */
static void decide_grouping(void)
{
	page_group_by_mobility_disabled =
		nodes_managed_pages() < (MIGRATE_TYPES << MM_PAGEBLOCK_ORDER);
}

int nodes_init(void)
{
	size_t sizes[MAX_NR_ZONES], fixed;

	load_options();
	fixed_sizes(sizes);
	fixed = sum_of_sizes(sizes);
	nodes_are_real = !options.nodes && !fixed;
	nr_online_nodes = nodes_are_real ? min(os_memory_nodes(), (unsigned int)MAX_NUMNODES) :
					   max((unsigned int)options.nodes, 1u);
	mm_fixed_bytes = fixed * nr_online_nodes;
	if (percpu_init() || mm_init())
		return -1;
	lock_init(&page_grow_lock, RANK_GROW);
	lock_init(&page_drain_lock, RANK_DRAIN);
	if (!fixed)
		divide_budget();
	else if (place_fixed_zones(sizes))
		return -1;
	decide_grouping();
	zones_set_watermarks();
	zonelists_build();
	return 0;
}

/* --- Looking at all of them ------------------------------------------------------- */

static struct zone *populated_zone_from(unsigned int number)
{
	for (; number < nr_online_nodes * MAX_NR_ZONES; number++) {
		struct pglist_data *node = NODE_DATA(number / MAX_NR_ZONES);
		struct zone *z = &node->node_zones[number % MAX_NR_ZONES];

		if (populated_zone(z))
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

/* The largest; the first of several. */
struct zone *budget_zone(void)
{
	struct zone *largest = NODE_DATA(0)->node_zones + ZONE_NORMAL, *z;

	for_each_populated_zone(z)
		if (z->managed_pages > largest->managed_pages)
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

unsigned long nodes_managed_pages(void)
{
	unsigned long pages = 0;
	struct zone *z;

	for_each_populated_zone(z)
		pages += z->managed_pages;
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
