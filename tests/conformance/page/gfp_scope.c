// SPDX-License-Identifier: MIT
/* Scopes that a task sets for all allocations inside them: linux/sched/mm.h. */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>

#include "../conformance.h"

#define SCOPES (PF_MEMALLOC_NOIO | PF_MEMALLOC_NOFS | PF_MEMALLOC | PF_MEMALLOC_PIN)

struct scope {
	unsigned int flag;
	unsigned int (*save)(void);
	void (*restore)(unsigned int flags);
};

static const struct scope scopes[] = {
	{ PF_MEMALLOC_NOIO, memalloc_noio_save, memalloc_noio_restore },
	{ PF_MEMALLOC_NOFS, memalloc_nofs_save, memalloc_nofs_restore },
	{ PF_MEMALLOC, memalloc_noreclaim_save, memalloc_noreclaim_restore },
	{ PF_MEMALLOC_PIN, memalloc_pin_save, memalloc_pin_restore },
};

static unsigned long value(gfp_t gfp)
{
	return (__force unsigned long)gfp;
}

/* What current_gfp_context() leaves of gfp under these task flags. */
static gfp_t allowed(gfp_t gfp, unsigned int task_flags)
{
	if (task_flags & PF_MEMALLOC_NOIO)
		gfp &= ~(__GFP_IO | __GFP_FS);
	if (task_flags & PF_MEMALLOC_NOFS)
		gfp &= ~__GFP_FS;
	if (task_flags & PF_MEMALLOC_PIN)
		gfp &= ~__GFP_MOVABLE;
	return gfp;
}

static void expect_context(struct kunit *test, unsigned int task_flags)
{
	for (unsigned int i = 0; i < __GFP_BITS_SHIFT; i++) {
		gfp_t gfp = (__force gfp_t)(1u << i);

		KUNIT_EXPECT_EQ(test, value(current_gfp_context(gfp)),
				value(allowed(gfp, task_flags)));
		gfp = __GFP_BITS_MASK & ~gfp;
		KUNIT_EXPECT_EQ(test, value(current_gfp_context(gfp)),
				value(allowed(gfp, task_flags)));
	}
}

/* Outside of scopes nothing is taken away. */
static void no_scope_changes_nothing(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, current->flags & SCOPES, 0);
	expect_context(test, 0);
}

/* Each scope takes away its own bits: NOIO takes FS as well, PIN takes MOVABLE. */
static void each_scope_takes_its_bits(struct kunit *test)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(scopes); i++) {
		unsigned int saved = scopes[i].save();

		KUNIT_EXPECT_EQ(test, current->flags & SCOPES, scopes[i].flag);
		expect_context(test, scopes[i].flag);
		scopes[i].restore(saved);
		KUNIT_EXPECT_EQ(test, current->flags & SCOPES, 0);
	}
	expect_context(test, 0);
}

/* All combinations of scopes, entered in order and left in reverse. */
static void scopes_combine(struct kunit *test)
{
	for (unsigned int set = 0; set < 1u << ARRAY_SIZE(scopes); set++) {
		unsigned int saved[ARRAY_SIZE(scopes)] = { 0 }, flags = 0;

		for (unsigned int i = 0; i < ARRAY_SIZE(scopes); i++) {
			if (!(set >> i & 1))
				continue;
			saved[i] = scopes[i].save();
			flags |= scopes[i].flag;
		}
		KUNIT_EXPECT_EQ(test, current->flags & SCOPES, flags);
		expect_context(test, flags);
		for (unsigned int i = ARRAY_SIZE(scopes); i-- > 0;)
			if (set >> i & 1)
				scopes[i].restore(saved[i]);
		KUNIT_EXPECT_EQ(test, current->flags & SCOPES, 0);
	}
}

/* The end of an inner scope does not end the outer one of the same kind. */
static void inner_scope_leaves_outer(struct kunit *test)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(scopes); i++) {
		unsigned int saved[5];

		for (unsigned int depth = 0; depth < ARRAY_SIZE(saved); depth++)
			saved[depth] = scopes[i].save();
		for (unsigned int depth = ARRAY_SIZE(saved); depth-- > 1;) {
			scopes[i].restore(saved[depth]);
			KUNIT_EXPECT_EQ(test, current->flags & SCOPES, scopes[i].flag);
		}
		scopes[i].restore(saved[0]);
		KUNIT_EXPECT_EQ(test, current->flags & SCOPES, 0);
	}
}

/*
 * memalloc_flags_save() sets any of the flags and returns those that were not set, which is
 * what memalloc_flags_restore() takes away again.
 */
static void flags_in_general(struct kunit *test)
{
	unsigned int outer = memalloc_flags_save(PF_MEMALLOC_NOFS);
	unsigned int inner = memalloc_flags_save(PF_MEMALLOC_NOFS | PF_MEMALLOC_NOIO);

	KUNIT_EXPECT_EQ(test, outer, PF_MEMALLOC_NOFS);
	KUNIT_EXPECT_EQ(test, inner, PF_MEMALLOC_NOIO);
	KUNIT_EXPECT_EQ(test, current->flags & SCOPES, PF_MEMALLOC_NOFS | PF_MEMALLOC_NOIO);
	memalloc_flags_restore(inner);
	KUNIT_EXPECT_EQ(test, current->flags & SCOPES, PF_MEMALLOC_NOFS);
	memalloc_flags_restore(outer);
	KUNIT_EXPECT_EQ(test, current->flags & SCOPES, 0);
}

/* Allocations go on inside of every scope. */
static void scopes_do_not_refuse(struct kunit *test)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(scopes); i++) {
		unsigned int saved = scopes[i].save();

		for (unsigned int order = 0; order <= 4; order++) {
			struct page *page = alloc_pages(GFP_KERNEL | __GFP_MOVABLE, order);

			KUNIT_EXPECT_NOT_NULL(test, page);
			if (page)
				__free_pages(page, order);
		}
		scopes[i].restore(saved);
	}
}

/* While the machine runs every bit is allowed. */
static void every_bit_is_allowed(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, value(*LINUX_SYMBOL(gfp_allowed_mask)), value(__GFP_BITS_MASK));
}

#define MASK_HEADING "gfp_allowed_mask has its effect on the slow path"

/* gfp_allowed_mask: __alloc_pages() forgets the bits that are not in it. */
static void allowed_mask_is_applied(struct kunit *test)
{
	gfp_t *mask = LINUX_SYMBOL(gfp_allowed_mask), before = *mask;
	struct page *compound, *plain;

	*mask &= ~__GFP_COMP;
	plain = alloc_pages(GFP_KERNEL | __GFP_COMP, 2);
	*mask = before;
	compound = alloc_pages(GFP_KERNEL | __GFP_COMP, 2);
	KUNIT_ASSERT_NOT_NULL(test, plain);
	KUNIT_ASSERT_NOT_NULL(test, compound);
	DIFFERS(test, MASK_HEADING);
	KUNIT_EXPECT_EQ(test, !!PageCompound(plain), ON_USERMM);
	KUNIT_EXPECT_TRUE(test, PageCompound(compound));
	__free_pages(plain, 2);
	__free_pages(compound, 2);
}

/* The bulk allocator applies it as well: pages are not cleared if ZERO is not allowed. */
static void allowed_mask_is_applied_in_bulk(struct kunit *test)
{
	gfp_t *mask = LINUX_SYMBOL(gfp_allowed_mask), before = *mask;
	struct page *pages[16] = { NULL };
	unsigned long nr, dirty = 0;

	need_page_lists(test);
	nr = alloc_pages_bulk_array(GFP_KERNEL, ARRAY_SIZE(pages), pages);
	KUNIT_ASSERT_EQ(test, nr, ARRAY_SIZE(pages));
	for (unsigned int i = 0; i < nr; i++) {
		memset(page_address(pages[i]), 0x5a, PAGE_SIZE);
		__free_page(pages[i]);
	}
	memset(pages, 0, sizeof(pages));
	*mask &= ~__GFP_ZERO;
	nr = alloc_pages_bulk_array(GFP_KERNEL | __GFP_ZERO, ARRAY_SIZE(pages), pages);
	*mask = before;
	for (unsigned int i = 0; i < nr; i++) {
		dirty += *(u8 *)page_address(pages[i]) == 0x5a;
		__free_page(pages[i]);
	}
	DIFFERS(test, MASK_HEADING);
	KUNIT_EXPECT_EQ(test, dirty > 0, !ON_USERMM);
}

static struct kunit_case scope_cases[] = {
	KUNIT_CASE(no_scope_changes_nothing),
	KUNIT_CASE(each_scope_takes_its_bits),
	KUNIT_CASE(scopes_combine),
	KUNIT_CASE(inner_scope_leaves_outer),
	KUNIT_CASE(flags_in_general),
	KUNIT_CASE(scopes_do_not_refuse),
	KUNIT_CASE(every_bit_is_allowed),
	KUNIT_CASE(allowed_mask_is_applied),
	KUNIT_CASE(allowed_mask_is_applied_in_bulk),
	{}
};

static struct kunit_suite scope_suite = {
	.name = "conformance_gfp_scope",
	.test_cases = scope_cases,
};
kunit_test_suite(scope_suite);
MODULE_DESCRIPTION("memalloc scopes and gfp_allowed_mask");
MODULE_LICENSE("Dual MIT/GPL");
