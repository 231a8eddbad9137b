/* SPDX-License-Identifier: MIT */
/* Reports have Linux's columns, and their numbers add up. */
#include <unistd.h>

#include "os/os.h"
#include "page/zone.h"
#include "percpu/percpu.h"
#include "slab/partial.h"
#include "slab/slab.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/report.h"
#include "support/threads.h"

#define REPORT_BYTES 60000

static char report[REPORT_BYTES];

/* The text that print(fd) writes. */
static char *printed(struct kunit *test, void (*print)(int fd))
{
	test_read_report(test, report, sizeof(report), print);
	return report;
}

static void test_stats_buddyinfo(struct kunit *test)
{
	unsigned long nr[NR_PAGE_ORDERS], free_bytes = 0;
	char *text, *p, zone_name[32] = "";
	struct usermm_stats stats;
	int node = -1, used = 0;

	drain_local_pages(NULL);
	text = printed(test, usermm_print_buddyinfo);
	KUNIT_ASSERT_EQ_MSG(test, sscanf(text, "Node %d, zone %31s%n", &node, zone_name, &used), 2,
			    "%s", text);
	KUNIT_EXPECT_EQ(test, node, 0);
	KUNIT_EXPECT_STREQ(test, zone_name, "Normal");
	KUNIT_EXPECT_MEMEQ(test, text, "Node 0, zone   Normal ", 22);
	p = text + used;
	for (unsigned int order = 0; order < NR_PAGE_ORDERS; order++) {
		nr[order] = strtoul(p, &p, 10);
		free_bytes += nr[order] * (PAGE_SIZE << order);
	}
	KUNIT_EXPECT_STREQ_MSG(test, p, " \n", "one line, eleven columns");
	usermm_stats_read(&stats);
	/* Memory that is not online counts as free, but is on no list. */
	KUNIT_EXPECT_EQ(test, stats.free_bytes, free_bytes + stats.budget_bytes -
			stats.online_bytes);
}

struct slab_row {
	char name[64];
	unsigned long active, objects, active_slabs, slabs;
	unsigned int size, per_slab, pages;
};

static bool parse_row(const char *line, struct slab_row *row)
{
	unsigned int limit, batch, shared;
	unsigned long avail;

	return sscanf(line, "%63s %lu %lu %u %u %u : tunables %u %u %u : slabdata %lu %lu %lu",
		      row->name, &row->active, &row->objects, &row->size, &row->per_slab,
		      &row->pages, &limit, &batch, &shared, &row->active_slabs, &row->slabs,
		      &avail) == 12;
}

/* Calls fn for each row; their number. */
static unsigned int for_each_row(struct kunit *test, char *text,
				 void (*fn)(struct kunit *, const struct slab_row *, void *),
				 void *arg)
{
	unsigned int nr = 0, line_number = 0;

	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		struct slab_row row;

		if (line_number++ < 2)
			continue;
		KUNIT_ASSERT_TRUE_MSG(test, parse_row(line, &row), "%s", line);
		fn(test, &row, arg);
		nr++;
	}
	return nr;
}

static void check_row(struct kunit *test, const struct slab_row *row, void *arg)
{
	unsigned long *bytes = arg;

	KUNIT_EXPECT_EQ_MSG(test, row->objects, row->slabs * row->per_slab, "%s", row->name);
	KUNIT_EXPECT_LE_MSG(test, row->active, row->objects, "%s", row->name);
	KUNIT_EXPECT_LE_MSG(test, row->active_slabs, row->slabs, "%s", row->name);
	KUNIT_EXPECT_LE_MSG(test, row->size * row->per_slab, row->pages * PAGE_SIZE, "%s",
			    row->name);
	*bytes += row->slabs * row->pages * PAGE_SIZE;
}

static void test_stats_slabinfo(struct kunit *test)
{
	static const char header[] =
		"slabinfo - version: 2.1\n"
		"# name            <active_objs> <num_objs> <objsize> <objperslab> <pagesperslab>"
		" : tunables <limit> <batchcount> <sharedfactor> : "
		"slabdata <active_slabs> <num_slabs> <sharedavail>\n";
	struct usermm_stats stats;
	unsigned long bytes = 0;
	char *text;

	text = printed(test, usermm_print_slabinfo);
	KUNIT_EXPECT_MEMEQ(test, text, header, sizeof(header) - 1);
	KUNIT_EXPECT_GT(test, for_each_row(test, text, check_row, &bytes), 0);
	usermm_stats_read(&stats);
	KUNIT_EXPECT_EQ(test, bytes, stats.slab_bytes);
	KUNIT_EXPECT_EQ(test, stats.slabs_created - stats.slabs_freed > 0, stats.slab_bytes > 0);
}

static void find_row(struct kunit *test, const struct slab_row *row, void *arg)
{
	struct slab_row *wanted = arg;

	(void)test;
	if (!strcmp(row->name, wanted->name))
		*wanted = *row;
}

static struct slab_row row_of(struct kunit *test, const char *name)
{
	struct slab_row row = { .active = ~0UL };

	strcpy(row.name, name);
	for_each_row(test, printed(test, usermm_print_slabinfo), find_row, &row);
	return row;
}

/* Objects in a CPU's sheaf are not active: the count is the user's objects. */
static void test_stats_slabinfo_counts_objects(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("counted", 200, 0, 0, NULL);
	struct slab_row row;
	void *objects[1000];

	KUNIT_ASSERT_NOT_NULL(test, cache);
	for (unsigned int i = 0; i < 1000; i++) {
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, objects[i]);
	}
	row = row_of(test, "counted");
	KUNIT_EXPECT_EQ(test, row.active, 1000);
	KUNIT_EXPECT_EQ(test, row.size, 200);
	KUNIT_EXPECT_EQ(test, row.per_slab, cache->objects);
	KUNIT_EXPECT_EQ(test, row.slabs, slab_nr_slabs(cache));
	for (unsigned int i = 0; i < 1000; i += 2)
		kmem_cache_free(cache, objects[i]);
	KUNIT_EXPECT_EQ(test, row_of(test, "counted").active, 500);
	for (unsigned int i = 1; i < 1000; i += 2)
		kmem_cache_free(cache, objects[i]);
	KUNIT_EXPECT_EQ(test, row_of(test, "counted").active, 0);
	kmem_cache_destroy(cache);
	KUNIT_EXPECT_EQ_MSG(test, row_of(test, "counted").active, ~0UL, "the row is gone");
}

/* More caches than are read at one time: every one has its line. */
static void test_stats_slabinfo_many_caches(struct kunit *test)
{
	enum { NR = 70 };
	struct kmem_cache *caches[NR];
	void *objects[NR];
	char name[32];

	for (unsigned int i = 0; i < NR; i++) {
		snprintf(name, sizeof(name), "many-%u", i);
		caches[i] = kmem_cache_create(name, 64, 0, 0, NULL);
		KUNIT_ASSERT_NOT_NULL(test, caches[i]);
		objects[i] = kmem_cache_alloc(caches[i], GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, objects[i]);
	}
	for (unsigned int i = 0; i < NR; i++) {
		snprintf(name, sizeof(name), "many-%u", i);
		KUNIT_EXPECT_EQ_MSG(test, row_of(test, name).active, 1, "%s", name);
	}
	for (unsigned int i = 0; i < NR; i++) {
		kmem_cache_free(caches[i], objects[i]);
		kmem_cache_destroy(caches[i]);
	}
}

static void print_attributes(int fd)
{
	if (usermm_print_slab_attributes(fd, "shown"))
		dprintf(fd, "none\n");
}

static void construct_nothing(void *object)
{
	(void)object;
}

static void test_stats_slab_attributes(struct kunit *test)
{
	static const char *const lines[] = {
		"slab_size 152\n", "align 8\n", "object_size 60\n", "objs_per_slab ",
		"order ", "min_partial ", "aliases 0\n", "usersize 0\n", "slabs 1\n",
		"partial 1\n", "objects 2\n", "objects_partial 2\n", "total_objects ",
		"hwcache_align 0\n", "reclaim_account 0\n", "cache_dma 0\n", "destroy_by_rcu 0\n",
		"sanity_checks 1\n", "trace 0\n", "red_zone 1\n", "poison 1\n", "store_user 1\n",
		"failslab 0\n", "ctor /",
	};
	struct kmem_cache *cache = kmem_cache_create("shown", 60, 0, SLAB_CONSISTENCY_CHECKS |
						     SLAB_RED_ZONE | SLAB_POISON | SLAB_STORE_USER,
						     construct_nothing);
	void *a, *b;

	KUNIT_ASSERT_NOT_NULL(test, cache);
	a = kmem_cache_alloc(cache, GFP_KERNEL);
	b = kmem_cache_alloc(cache, GFP_KERNEL);
	printed(test, print_attributes);
	for (unsigned int i = 0; i < ARRAY_SIZE(lines); i++)
		KUNIT_EXPECT_TRUE_MSG(test, strstr(report, lines[i]), "no \"%s\" in %s", lines[i],
				      report);
	kmem_cache_free(cache, a);
	kmem_cache_free(cache, b);
	kmem_cache_destroy(cache);
	KUNIT_EXPECT_STREQ(test, printed(test, print_attributes), "none\n");
}

static void count_ctor(void *page)
{
	(void)page;
}

/* So many pages by list nr, which had none. */
static void pass_pages(struct kunit *test, int nr, unsigned int n, void (*ctor)(void *))
{
	void *pages[10];

	for (unsigned int i = 0; i < n; i++) {
		pages[i] = quicklist_alloc(nr, GFP_KERNEL, ctor);
		KUNIT_ASSERT_NOT_NULL(test, pages[i]);
	}
	for (unsigned int i = 0; i < n; i++)
		quicklist_free(nr, ctor, pages[i]);
}

static void test_stats_quicklists(struct kunit *test)
{
	unsigned long kib, pages_now, misses, ctors, dtors, returned, trimmed;
	const char *text, *line;

	pass_pages(test, 2, 7, count_ctor);
	KUNIT_ASSERT_GE(test, shrink_slab(GFP_KERNEL, 0, NULL, 0), 7);
	pass_pages(test, 2, 7, count_ctor);
	pass_pages(test, 1, 10, NULL);
	text = printed(test, usermm_print_quicklists);
	KUNIT_ASSERT_EQ(test, sscanf(text, "Quicklists: %lu kB\n", &kib), 1);
	KUNIT_EXPECT_EQ(test, kib, quicklist_total_size() * 4);
	KUNIT_EXPECT_EQ(test, kib, 68);
	KUNIT_EXPECT_NULL(test, strstr(text, "quicklist-3"));
	line = strstr(text, "\nquicklist-2 ");
	KUNIT_ASSERT_NOT_NULL(test, line);
	/* Hits are not counted. */
	KUNIT_ASSERT_EQ(test, sscanf(line, " quicklist-2 %lu - %lu %lu %lu %lu %lu\n", &pages_now,
				     &misses, &ctors, &dtors, &returned, &trimmed), 6);
	KUNIT_EXPECT_EQ(test, pages_now, 7);
	KUNIT_EXPECT_EQ(test, misses, 14);
	KUNIT_EXPECT_EQ(test, ctors, 14);
	KUNIT_EXPECT_EQ(test, dtors, 7);
	KUNIT_EXPECT_EQ(test, returned, 7);
	KUNIT_EXPECT_EQ(test, trimmed, 7);
	line = strstr(text, "\nquicklist-1 ");
	KUNIT_ASSERT_NOT_NULL(test, line);
	KUNIT_ASSERT_EQ(test, sscanf(line, " quicklist-1 %lu - %lu %lu", &pages_now, &misses,
				     &ctors), 3);
	KUNIT_EXPECT_EQ(test, pages_now, 10);
	KUNIT_EXPECT_EQ(test, ctors, 0);
}

static void test_stats_all_in_order(struct kunit *test)
{
	const char *buddy, *slab, *quick, *summary, *text = printed(test, usermm_print_stats);

	buddy = strstr(text, "Node 0, zone");
	slab = strstr(text, "slabinfo - version");
	quick = strstr(text, "Quicklists:");
	KUNIT_EXPECT_MEMEQ(test, text, "usermm: " USERMM_VERSION " pid=",
			   strlen("usermm: " USERMM_VERSION " pid="));
	KUNIT_ASSERT_TRUE(test, buddy && slab && quick);
	summary = strstr(quick, "usermm: " USERMM_VERSION);
	KUNIT_ASSERT_NOT_NULL(test, summary);
	KUNIT_EXPECT_TRUE(test, buddy < slab && slab < quick && quick < summary);
	KUNIT_EXPECT_NOT_NULL(test, strstr(summary, percpu_mode_reason()));
}

/* Bytes in use, free and cached make up the budget. */
static void test_stats_sum(struct kunit *test)
{
	struct usermm_stats stats, later;
	struct page *page = alloc_pages(GFP_KERNEL, 6);
	size_t fixed;

	KUNIT_ASSERT_NOT_NULL(test, page);
	usermm_stats_read(&stats);
	KUNIT_EXPECT_LE(test, stats.budget_bytes, stats.window_bytes);
	KUNIT_EXPECT_LE(test, stats.window_bytes, stats.window_wished_bytes);
	KUNIT_EXPECT_LE(test, stats.online_bytes, stats.budget_bytes);
	/* Of tables that end with a page of the system's. */
	KUNIT_EXPECT_EQ(test, stats.metadata_bytes,
			ALIGN(stats.online_bytes / 64, os_page_bytes()) +
			2 * ALIGN(stats.online_bytes / 512, os_page_bytes()));
	fixed = stats.budget_bytes - stats.free_bytes - stats.pcp_bytes;
	KUNIT_EXPECT_EQ_MSG(test, fixed, stats.slab_bytes + stats.quicklist_bytes +
			    (PAGE_SIZE << 6), "nothing else is in use");
	__free_pages(page, 6);
	usermm_stats_read(&later);
	KUNIT_EXPECT_EQ(test, later.free_bytes + later.pcp_bytes,
			stats.free_bytes + stats.pcp_bytes + (PAGE_SIZE << 6));
	KUNIT_EXPECT_GE(test, later.page_refills, 1);
	KUNIT_EXPECT_GE(test, later.slab_refills, 1);
}

static struct kunit_case stats_cases[] = {
	KUNIT_CASE(test_stats_buddyinfo),
	KUNIT_CASE(test_stats_slabinfo),
	KUNIT_CASE(test_stats_slabinfo_counts_objects),
	KUNIT_CASE(test_stats_slabinfo_many_caches),
	KUNIT_CASE(test_stats_slab_attributes),
	KUNIT_CASE(test_stats_quicklists),
	KUNIT_CASE(test_stats_all_in_order),
	KUNIT_CASE(test_stats_sum),
	{ 0 },
};

static struct kunit_suite stats_suite = {
	.name = "stats",
	.init = test_pin_and_warm_up_kmalloc,
	.test_cases = stats_cases,
};

kunit_test_suite(stats_suite);
