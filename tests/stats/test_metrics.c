/* SPDX-License-Identifier: MIT */
/*
 * The counters as JSON and in Prometheus' format: all there, and the same as in the structure
 * and in the reports that have Linux's columns. check_metrics.py has parsers of the formats.
 */
#include <stdarg.h>
#include <sys/resource.h>
#include <unistd.h>

#include "page/migratetype.h"
#include "page/zone.h"
#include "slab/cache.h"
#include "slab/partial.h"
#include "slab/slab.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/report.h"
#include "support/threads.h"
#include "support/zones.h"

#define REPORT_BYTES 100000
#define HALF_USED 2000	/* objects, half of which are freed */

static char json[REPORT_BYTES], page[REPORT_BYTES], text[REPORT_BYTES];

static void print_to(struct kunit *test, char *report, void (*print)(int fd))
{
	test_read_report(test, report, REPORT_BYTES, print);
}

static void print_all(struct kunit *test, void (*print)(int fd))
{
	print_to(test, json, usermm_print_json);
	print_to(test, page, usermm_print_prometheus);
	if (print)
		print_to(test, text, print);
}

__attribute__((__format__(__printf__, 3, 4)))
static void expect_has(struct kunit *test, const char *report, const char *format, ...)
{
	char wanted[800];
	va_list args;

	va_start(args, format);
	vsnprintf(wanted, sizeof(wanted), format, args);
	va_end(args);
	KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(report, wanted), "no %s in %s", wanted, report);
}

static void test_metrics_stats(struct kunit *test)
{
	struct usermm_stats stats;

	print_all(test, NULL);
	usermm_stats_read(&stats);
	KUNIT_EXPECT_MEMEQ(test, json, "{\"process\":{\"pid\":", 18);
	expect_has(test, json, "},\"stats\":{\"window_bytes\":");
#define EXPECT_FIELD(name, type, suffix)						\
	do {										\
		expect_has(test, json, "\"" #name "\":%zu", stats.name);		\
		expect_has(test, page, "\n# TYPE usermm_" #name suffix " " type			\
			   "\nusermm_" #name suffix " %zu\n", stats.name);		\
	} while (0)
#define EXPECT_GAUGE(name) EXPECT_FIELD(name, "gauge", "")
#define EXPECT_COUNTER(name) EXPECT_FIELD(name, "counter", "_total")
	EXPECT_GAUGE(window_bytes);
	EXPECT_GAUGE(window_wished_bytes);
	EXPECT_GAUGE(budget_bytes);
	EXPECT_GAUGE(online_bytes);
	EXPECT_GAUGE(free_bytes);
	EXPECT_GAUGE(pcp_bytes);
	EXPECT_GAUGE(slab_bytes);
	EXPECT_GAUGE(quicklist_bytes);
	EXPECT_GAUGE(mapped_bytes);
	EXPECT_GAUGE(mapped_count);
	EXPECT_GAUGE(metadata_bytes);
	EXPECT_COUNTER(slab_refills);
	EXPECT_COUNTER(slab_flushes);
	EXPECT_COUNTER(slab_objects);
	EXPECT_COUNTER(slabs_created);
	EXPECT_COUNTER(slabs_freed);
	EXPECT_COUNTER(page_refills);
	EXPECT_COUNTER(page_spills);
	EXPECT_COUNTER(page_failures);
	EXPECT_COUNTER(malloc_page_blocks);
	EXPECT_COUNTER(malloc_large_blocks);
	EXPECT_GAUGE(large_kept_bytes);
}

/* All of one's line in slabinfo, in the same order. */
static unsigned int expect_caches(struct kunit *test)
{
	unsigned int nr = 0;

	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		unsigned long active, objects, size, per_slab, pages, active_slabs, slabs;
		char name[64];

		if (sscanf(line, "%63s %lu %lu %lu %lu %lu : tunables 0 0 0 : slabdata %lu %lu 0",
			   name, &active, &objects, &size, &per_slab, &pages, &active_slabs,
			   &slabs) != 8)
			continue;
		nr++;
		expect_has(test, json, "{\"name\":\"%s\",\"active_objs\":%lu,\"num_objs\":%lu,"
			   "\"objsize\":%lu,\"objperslab\":%lu,\"pagesperslab\":%lu,"
			   "\"active_slabs\":%lu,\"num_slabs\":%lu}", name, active, objects, size,
			   per_slab, pages, active_slabs, slabs);
		expect_has(test, page, "\nusermm_cache_active_objs{cache=\"%s\"} %lu\n", name,
			   active);
		expect_has(test, page, "\nusermm_cache_num_objs{cache=\"%s\"} %lu\n", name,
			   objects);
		expect_has(test, page, "\nusermm_cache_objsize{cache=\"%s\"} %lu\n", name, size);
		expect_has(test, page, "\nusermm_cache_objperslab{cache=\"%s\"} %lu\n", name,
			   per_slab);
		expect_has(test, page, "\nusermm_cache_pagesperslab{cache=\"%s\"} %lu\n", name,
			   pages);
		expect_has(test, page, "\nusermm_cache_active_slabs{cache=\"%s\"} %lu\n", name,
			   active_slabs);
		expect_has(test, page, "\nusermm_cache_num_slabs{cache=\"%s\"} %lu\n", name,
			   slabs);
	}
	return nr;
}

/* Slabs of which some are empty. */
static struct kmem_cache *make_half_used(struct kunit *test, void *objects[HALF_USED])
{
	struct kmem_cache *cache = kmem_cache_create("half-used", 1000, 0, 0, NULL);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	for (unsigned int i = 0; i < HALF_USED; i++) {
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, objects[i]);
	}
	for (unsigned int i = HALF_USED / 2; i < HALF_USED; i++)
		kmem_cache_free(cache, objects[i]);
	return cache;
}

static void expect_empty_slabs(struct kunit *test, struct kmem_cache *cache)
{
	struct slab_usage usage;

	slab_usage_read(cache, &usage);
	KUNIT_EXPECT_GT(test, usage.empty, 0);
	KUNIT_EXPECT_GT(test, usage.slabs, usage.empty);
}

/* More caches than are read at one time. */
static void test_metrics_caches(struct kunit *test)
{
	enum { NR = 40 };
	struct kmem_cache *caches[NR], *half_used;
	void *objects[NR], *others[HALF_USED];
	char name[32];

	half_used = make_half_used(test, others);
	for (unsigned int i = 0; i < NR; i++) {
		snprintf(name, sizeof(name), "many-%u", i);
		caches[i] = kmem_cache_create(name, 40 + 8 * i, 0, 0, NULL);
		KUNIT_ASSERT_NOT_NULL(test, caches[i]);
		objects[i] = kmem_cache_alloc(caches[i], GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, objects[i]);
	}
	expect_empty_slabs(test, half_used);
	print_all(test, usermm_print_slabinfo);
	KUNIT_EXPECT_GT(test, expect_caches(test), NR);
	for (unsigned int i = 0; i < NR; i++) {
		kmem_cache_free(caches[i], objects[i]);
		kmem_cache_destroy(caches[i]);
	}
	kmem_cache_free_bulk(half_used, HALF_USED / 2, others);
	kmem_cache_destroy(half_used);
}

struct odd_name {
	const char *name, *in_json, *in_prometheus;
};

static const struct odd_name odd_names[] = {
	{ "a\"b\\c", "\"a\\\"b\\\\c\"", "{cache=\"a\\\"b\\\\c\"}" },
	{ "two\nlines", "\"two\\nlines\"", "{cache=\"two\\nlines\"}" },
	{ "tab\tbell\a", "\"tab\\u0009bell\\u0007\"", "{cache=\"tab\tbell\a\"}" },
	/* UTF-8 of two, three and four bytes, the last of each. */
	{ "\xdf\xbf \xef\xbf\xbf \xf4\x8f\xbf\xbf", "\"\xdf\xbf \xef\xbf\xbf \xf4\x8f\xbf\xbf\"",
	  "{cache=\"\xdf\xbf \xef\xbf\xbf \xf4\x8f\xbf\xbf\"}" },
	/* Too long for what they are; a surrogate; beyond the last; alone. */
	{ "(\xc0\x80)", "\"(\xef\xbf\xbd\xef\xbf\xbd)\"",
	  "{cache=\"(\xef\xbf\xbd\xef\xbf\xbd)\"}" },
	{ "<\xed\xa0\x80>", "\"<\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd>\"", "<\xef\xbf\xbd" },
	{ "[\xf4\x90]", "\"[\xef\xbf\xbd\xef\xbf\xbd]\"", "[\xef\xbf\xbd\xef\xbf\xbd]\"} " },
	{ "end \xe2\x82", "\"end \xef\xbf\xbd\xef\xbf\xbd\"", "end \xef\xbf\xbd\xef\xbf\xbd\"} " },
	{ "\xfe", "\"\xef\xbf\xbd\",\"active_objs\"", "{cache=\"\xef\xbf\xbd\"}" },
	{ "\xff", "\"\xef\xbf\xbd\",\"namesake\":1,",
	  "{cache=\"\xef\xbf\xbd\",namesake=\"1\"}" },
	/* Cut within a character; and what differs behind there is the same here. */
	{ "123456789012345678901234567890\xc3\xa4",
	  "\"123456789012345678901234567890\xef\xbf\xbd\"",
	  "{cache=\"123456789012345678901234567890\xef\xbf\xbd\"}" },
	{ "123456789012345678901234567890\xc3\xb6",
	  "\"123456789012345678901234567890\xef\xbf\xbd\",\"namesake\":1,",
	  "{cache=\"123456789012345678901234567890\xef\xbf\xbd\",namesake=\"1\"}" },
};

static void test_metrics_names(struct kunit *test)
{
	struct kmem_cache *caches[ARRAY_SIZE(odd_names)];
	void *objects[ARRAY_SIZE(odd_names)];

	for (unsigned int i = 0; i < ARRAY_SIZE(odd_names); i++) {
		caches[i] = kmem_cache_create(odd_names[i].name, 100, 0, 0, NULL);
		KUNIT_ASSERT_NOT_NULL(test, caches[i]);
		objects[i] = kmem_cache_alloc(caches[i], GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, objects[i]);
	}
	print_all(test, NULL);
	for (unsigned int i = 0; i < ARRAY_SIZE(odd_names); i++) {
		expect_has(test, json, "{\"name\":%s", odd_names[i].in_json);
		expect_has(test, page, "%s", odd_names[i].in_prometheus);
		kmem_cache_free(caches[i], objects[i]);
		kmem_cache_destroy(caches[i]);
	}
	KUNIT_EXPECT_PTR_EQ_MSG(test, strchr(json, '\n'), json + strlen(json) - 1, "one line");
}

/* Counters of events keep those of caches that are gone. */
static void test_metrics_counters_stay(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("short_lived", 1000, 0, 0, NULL);
	struct usermm_stats before, after;
	void *objects[100];

	KUNIT_ASSERT_NOT_NULL(test, cache);
	for (unsigned int i = 0; i < ARRAY_SIZE(objects); i++)
		KUNIT_ASSERT_NOT_NULL(test, objects[i] = kmem_cache_alloc(cache, GFP_KERNEL));
	usermm_stats_read(&before);
	for (unsigned int i = 0; i < ARRAY_SIZE(objects); i++)
		kmem_cache_free(cache, objects[i]);
	kmem_cache_destroy(cache);
	usermm_stats_read(&after);
	KUNIT_EXPECT_GE(test, after.slab_refills, before.slab_refills);
	KUNIT_EXPECT_GE(test, after.slab_flushes, before.slab_flushes);
	KUNIT_EXPECT_GE(test, after.slab_objects, before.slab_objects);
	KUNIT_EXPECT_EQ(test, after.slabs_created, before.slabs_created);
	/* At least what 100 objects of 1000 bytes had; the cache's is not known any more. */
	KUNIT_EXPECT_GE(test, after.slabs_freed, before.slabs_freed + 1);
	print_all(test, NULL);
	usermm_stats_read(&after);
	expect_has(test, page, "\nusermm_slabs_freed_total %zu\n", after.slabs_freed);
}

static struct zone *any_zone(void)
{
	struct zone *z;

	for_each_populated_zone(z)
		return z;
	return NULL;
}

/* If a counter is read as less than before, its former value is shown. */
static void test_metrics_counters_grow(struct kunit *test)
{
	struct zone *z = any_zone();
	const char *before, *after;
	char wanted[100];

	print_all(test, NULL);
	before = strstr(page, "\nusermm_vmstat_pgfree_total ");
	KUNIT_ASSERT_NOT_NULL(test, before);
	snprintf(wanted, sizeof(wanted), "%.*s", (int)strcspn(before + 1, "\n") + 1, before);
	atomic_store_relaxed(&z->nr_given, atomic_load_relaxed(&z->nr_given) - 1);
	print_all(test, NULL);
	atomic_store_relaxed(&z->nr_given, atomic_load_relaxed(&z->nr_given) + 1);
	after = strstr(page, "\nusermm_vmstat_pgfree_total ");
	KUNIT_EXPECT_MEMEQ(test, after, wanted, strlen(wanted));
}

static void expect_zone(struct kunit *test, const struct zone *z)
{
	char blocks[300] = "";
	size_t used = 0;

	for (unsigned int order = 0; order < NR_PAGE_ORDERS; order++) {
		unsigned long nr = 0;

		for (unsigned int type = 0; type < MIGRATE_TYPES; type++)
			nr += z->free_area[order].nr_of_type[type];
		used += (size_t)snprintf(blocks + used, sizeof(blocks) - used, "%s%lu",
					 order ? "," : "", nr);
		expect_has(test, page, "\nusermm_zone_free_blocks{node=\"%d\",zone=\"%s\","
			   "order=\"%u\"} %lu\n", (int)z->node, z->name, order, nr);
	}
	expect_has(test, json, "{\"node\":%d,\"name\":\"%s\",\"managed_pages\":%lu,"
		   "\"present_pages\":%lu,\"min_pages\":%lu,\"low_pages\":%lu,\"high_pages\":%lu,"
		   "\"free_pages\":%lu,\"free_blocks\":[%s]}", (int)z->node, z->name,
		   z->managed_pages, z->present_pages, z->watermark[WMARK_MIN],
		   z->watermark[WMARK_LOW], z->watermark[WMARK_HIGH], z->free_pages, blocks);
	expect_has(test, page, "\nusermm_zone_managed_pages{node=\"%d\",zone=\"%s\"} %lu\n",
		   (int)z->node, z->name, z->managed_pages);
	expect_has(test, page, "\nusermm_zone_high_pages{node=\"%d\",zone=\"%s\"} %lu\n",
		   (int)z->node, z->name, z->watermark[WMARK_HIGH]);
}

/* Each item of the text, but those that count what this does itself. */
static unsigned int expect_vmstat(struct kunit *test)
{
	unsigned int nr = 0;

	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		char name[64], *value = strchr(line, ' ');
		bool is_counter = strncmp(line, "nr_", 3) != 0;

		KUNIT_ASSERT_NOT_NULL_MSG(test, value, "%s", line);
		*value++ = '\0';
		snprintf(name, sizeof(name), "%s%s", line, is_counter ? "_total" : "");
		if (!strcmp(line, "pgfault") || !strcmp(line, "pgmajfault"))
			value = "";	/* some number */
		expect_has(test, json, "\"%s\":%s", line, value);
		expect_has(test, page, "\n# TYPE usermm_vmstat_%s %s\nusermm_vmstat_%s %s", name,
			   is_counter ? "counter" : "gauge", name, value);
		nr++;
	}
	return nr;
}

static void compare_zones(struct kunit *test)
{
	struct page *pages[20];
	struct zone *z;

	for (unsigned int i = 0; i < 20; i++)
		pages[i] = alloc_pages_node((int)i % 2, GFP_KERNEL, i % 4);
	print_all(test, usermm_print_vmstat);
	for_each_populated_zone(z)
		expect_zone(test, z);
	KUNIT_EXPECT_GT(test, expect_vmstat(test), 50);
	for (unsigned int i = 0; i < 20; i++)
		__free_pages(pages[i], i % 4);
}

static void test_metrics_zones(struct kunit *test)
{
	zones_run(test, "nodes=2:zone_dma32=8M:zone_normal=16M:pcp=off", compare_zones);
}

static void print_first(struct kunit *test, void *arg)
{
	(void)arg;
	KUNIT_ASSERT_FALSE(test, slab_is_up());
	print_to(test, json, usermm_print_json);
	expect_has(test, json, "\"zones\":[{\"node\":");
	expect_has(test, json, "\"vmstat\":{\"nr_free_pages\":");
	KUNIT_EXPECT_NULL(test, strstr(json, "\"window_bytes\":0,"));
}

static void print_page_first(struct kunit *test, void *arg)
{
	(void)arg;
	KUNIT_ASSERT_FALSE(test, slab_is_up());
	print_to(test, page, usermm_print_prometheus);
	expect_has(test, page, "\nusermm_zone_managed_pages{node=\"0\"");
	expect_has(test, page, "\nusermm_vmstat_oom_kill_total 0\n");
}

static void print_without_memory(struct kunit *test, void *arg)
{
	const struct rlimit none = { 0, 0 };

	(void)arg;
	KUNIT_ASSERT_EQ(test, setrlimit(RLIMIT_AS, &none), 0);
	usermm_print_json(STDERR_FILENO);
	usermm_print_prometheus(STDERR_FILENO);
}

/* Before anything else, in processes where nobody has allocated yet. */
static void test_metrics_nothing_up(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, print_first, NULL);
	CHILD_EXPECT_SUCCESS(test, print_page_first, NULL);
	if (ADDRESSES_MAY_BE_FEW)
		CHILD_EXPECT_SUCCESS(test, print_without_memory, NULL,
				     "},\"stats\":{\"window_bytes\":0,",
				     ",\"vmstat\":{},\"zones\":[],\"caches\":[]}\n",
				     "\nusermm_window_bytes 0\n");
}

static struct kunit_case first_cases[] = {
	KUNIT_CASE(test_metrics_nothing_up),
	KUNIT_CASE(test_metrics_zones),
	{ 0 },
};

static struct kunit_suite first_suite = { .name = "metrics_first", .test_cases = first_cases };

static struct kunit_case metrics_cases[] = {
	KUNIT_CASE(test_metrics_stats),
	KUNIT_CASE(test_metrics_caches),
	KUNIT_CASE(test_metrics_names),
	KUNIT_CASE(test_metrics_counters_stay),
	KUNIT_CASE(test_metrics_counters_grow),
	{ 0 },
};

static struct kunit_suite metrics_suite = {
	.name = "metrics",
	.init = test_pin_and_warm_up_kmalloc,
	.test_cases = metrics_cases,
};

kunit_test_suites(&first_suite, &metrics_suite);
