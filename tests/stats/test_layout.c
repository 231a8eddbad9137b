/* SPDX-License-Identifier: MIT */
/* The layout note agrees with the compiler, and gets a new version when its rows change. */
#include <elf.h>
#include <link.h>

#include "base/options.h"
#include "mm/memmap.h"
#include "page/pcp/pcp_list.h"
#include "slab/kfence/kfence_slot.h"
#include "slab/kmalloc/kvmalloc.h"
#include "slab/slab.h"
#include "stats/layout.h"
#include "support/kernel.h"

/*
 * A change of a row's name or place changes the digest. Then raise LAYOUT_VERSION and write the new
 * pair here.
 */
#define KNOWN_VERSION 4
#define KNOWN_DIGEST 0xb86b26d9421092c8UL

static const char rows[] =
#define VALUE(name, number) #name "\n"
#define FIELD(structure, field) #structure "." #field "\n"
#define SIZE(structure) "sizeof " #structure "\n"
#define ADDRESS(variable) "&" #variable "\n"
#define MALLOC_ADDRESS(variable) "&" #variable " of malloc\n"
#include "stats/layout.def"
#undef VALUE
#undef FIELD
#undef SIZE
#undef ADDRESS
#undef MALLOC_ADDRESS
;

static unsigned long digest(unsigned long hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3UL;
	return hash;
}

static void test_layout_version(struct kunit *test)
{
	unsigned long hash = digest(0xcbf29ce484222325UL, rows);

	KUNIT_EXPECT_EQ(test, LAYOUT_VERSION, KNOWN_VERSION);
	KUNIT_EXPECT_EQ_MSG(test, hash, KNOWN_DIGEST, "layout.def has changed: raise "
			    "LAYOUT_VERSION, and write it and %#lx into this test", hash);
}

/* The contents of this program's own notes. */
static struct {
	const struct layout_values *values;
	const int32_t *core;
	unsigned int core_bytes;
} found;

static void take_note(const char *at, size_t bytes)
{
	Elf64_Nhdr header;

	for (size_t next; bytes >= sizeof(header); at += next, bytes -= next) {
		memcpy(&header, at, sizeof(header));
		next = sizeof(header) + ALIGN(header.n_namesz + 0UL, 4UL);
		if (header.n_namesz == sizeof(LAYOUT_NAME) &&
		    !memcmp(at + sizeof(header), LAYOUT_NAME, sizeof(LAYOUT_NAME))) {
			if (header.n_type == LAYOUT_VALUES)
				found.values = (const void *)(at + next);
			if (header.n_type == LAYOUT_CORE) {
				found.core = (const void *)(at + next);
				found.core_bytes = header.n_descsz;
			}
		}
		next += ALIGN(header.n_descsz + 0UL, 4UL);
		next = min(next, bytes);
	}
}

static int look_at_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size, (void)arg;
	for (unsigned int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_NOTE)
			take_note((const char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr),
				  info->dlpi_phdr[i].p_memsz);
	return 1;	/* the program alone */
}

static int find_notes(struct kunit *test)
{
	(void)test;
	memset(&found, 0, sizeof(found));
	dl_iterate_phdr(look_at_object, NULL);
	return found.values && found.core ? 0 : -1;
}

static void test_layout_values(struct kunit *test)
{
	const uint16_t *values = found.values->values;

	KUNIT_EXPECT_EQ(test, found.values->version, LAYOUT_VERSION);
	KUNIT_EXPECT_EQ(test, found.values->nr, NR_LAYOUT_VALUES);
	KUNIT_EXPECT_STREQ(test, found.values->release, USERMM_VERSION);
	KUNIT_EXPECT_EQ(test, values[LAYOUT_page_shift], PAGE_SHIFT);
	KUNIT_EXPECT_EQ(test, values[LAYOUT_sizeof_page], sizeof(struct page));
	KUNIT_EXPECT_EQ(test, values[LAYOUT_page_inuse], offsetof(struct page, inuse));
	KUNIT_EXPECT_EQ(test, values[LAYOUT_kmem_cache_first_node],
			offsetof(struct kmem_cache, first_node));
	KUNIT_EXPECT_EQ(test, values[LAYOUT_sizeof_slot], sizeof(struct slot));
	KUNIT_EXPECT_EQ(test, values[LAYOUT_nr_pcp_lists], NR_PCP_LISTS);
	KUNIT_EXPECT_EQ(test, values[LAYOUT_profile_size_bits], 10);
}

/* Each address is a distance from its own place. */
static const void *address(enum layout_address number)
{
	return (const char *)&found.core[number] + found.core[number];
}

static void test_layout_addresses(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, found.core_bytes, NR_LAYOUT_CORE * sizeof(int32_t));
	KUNIT_EXPECT_PTR_EQ(test, address(LAYOUT_AT_mm_window), (const void *)&mm_window);
	KUNIT_EXPECT_PTR_EQ(test, address(LAYOUT_AT_slab_caches), (const void *)&slab_caches);
	KUNIT_EXPECT_PTR_EQ(test, address(LAYOUT_AT_kv_mappings), (const void *)&kv_mappings);
	KUNIT_EXPECT_PTR_EQ(test, address(LAYOUT_AT_options), (const void *)&options);
	KUNIT_EXPECT_PTR_EQ(test, address(LAYOUT_AT_slab_kfence_slots),
			    (const void *)&slab_kfence_slots);
}

/* Notes are loaded with every process: they stay a few hundred bytes. */
static void test_layout_size(struct kunit *test)
{
	KUNIT_EXPECT_LT(test, sizeof(struct layout_values) + found.core_bytes, 700UL);
}

static struct kunit_case layout_cases[] = {
	KUNIT_CASE(test_layout_version),
	KUNIT_CASE(test_layout_values),
	KUNIT_CASE(test_layout_addresses),
	KUNIT_CASE(test_layout_size),
	{ 0 },
};

static struct kunit_suite layout_suite = {
	.name = "layout",
	.init = find_notes,
	.test_cases = layout_cases,
};

kunit_test_suite(layout_suite);
