// SPDX-License-Identifier: MIT
/* Library functions of kernel sources that have no file of tests of their own. */
/* First, so that no header before it has chosen the types. */
#include <linux/types.h>

#include <kunit/test.h>
#include <linux/async.h>
#include <linux/delay.h>
#include <linux/dmapool.h>
#include <linux/iopoll.h>
#include <linux/kfifo.h>
#include <linux/kthread.h>
#include <linux/parser.h>
#include <linux/platform_device.h>
#include <linux/scatterlist.h>
#include <linux/static_call.h>
#include <linux/time.h>
#include <linux/tracepoint.h>
#include <linux/unaligned.h>
#include <linux/uuid.h>
#include <linux/ww_mutex.h>

_Static_assert(_Generic((u64)0, unsigned long long: 1, default: 0) &&
	       _Generic((s64)0, long long: 1, default: 0), "sources print them with %llu and %lld");

static void test_records_stay_whole(struct kunit *test)
{
	static STRUCT_KFIFO_REC_2(64) fifo;
	u8 from[64], to[64];

	INIT_KFIFO(fifo);
	KUNIT_EXPECT_EQ(test, kfifo_avail(&fifo), 62U);
	KUNIT_EXPECT_EQ(test, kfifo_peek_len(&fifo), 0U);
	for (unsigned int round = 0; round < 500; round++) {
		unsigned int n = round % 30 + 1, cut = n / 2;

		memset(from, (int)round, sizeof(from));
		KUNIT_EXPECT_EQ(test, kfifo_in(&fifo, from, n), n);
		KUNIT_EXPECT_EQ(test, kfifo_in(&fifo, from, n), n);
		KUNIT_EXPECT_EQ(test, kfifo_in(&fifo, from, 61U), 0U);
		KUNIT_EXPECT_EQ(test, kfifo_len(&fifo), 2 * (n + 2));
		KUNIT_EXPECT_EQ(test, kfifo_peek_len(&fifo), n);
		/* The rest of a record that is too long is lost. */
		KUNIT_EXPECT_EQ(test, kfifo_out_peek(&fifo, to, sizeof(to)), n);
		KUNIT_EXPECT_MEMEQ(test, to, from, n);
		KUNIT_EXPECT_EQ(test, kfifo_out(&fifo, to, cut), cut);
		KUNIT_EXPECT_EQ(test, kfifo_len(&fifo), n + 2);
		if (round % 3)
			kfifo_skip(&fifo);
		else
			KUNIT_EXPECT_EQ(test, kfifo_out(&fifo, to, sizeof(to)), n);
		KUNIT_EXPECT_TRUE(test, kfifo_is_empty(&fifo));
	}
}

static void test_a_short_length_limits_records(struct kunit *test)
{
	struct kfifo_rec_ptr_1 fifo;
	u8 bytes[300] = { 0 };

	KUNIT_ASSERT_EQ(test, kfifo_alloc(&fifo, 1024, GFP_KERNEL), 0);
	KUNIT_EXPECT_EQ(test, kfifo_avail(&fifo), 255U);
	KUNIT_EXPECT_EQ(test, kfifo_in(&fifo, bytes, 256U), 0U);
	KUNIT_EXPECT_EQ(test, kfifo_in(&fifo, bytes, 255U), 255U);
	KUNIT_EXPECT_EQ(test, kfifo_out(&fifo, bytes, 300U), 255U);
	kfifo_free(&fifo);
}

/* The compiler must not take the bytes and the number for different memory. */
static void test_unaligned_numbers_are_bytes(struct kunit *test)
{
	u8 bytes[17];

	memset(bytes, 0xff, sizeof(bytes));
	put_unaligned_be64(0x0102030405060708, bytes + 1);
	put_unaligned_le32(0x0b0c0d0e, bytes + 9);
	for (u8 i = 1; i <= 8; i++)
		KUNIT_EXPECT_EQ(test, bytes[i], i);
	KUNIT_EXPECT_EQ(test, bytes[9], 0x0e);
	KUNIT_EXPECT_EQ(test, get_unaligned_be16(bytes + 3), 0x0304);
}

static void test_pieces_are_copied_in_order(struct kunit *test)
{
	u8 all[256], back[256] = { 0 };
	struct sg_mapping_iter miter;
	struct scatterlist *sg;
	struct sg_table table;
	unsigned int i, seen = 0;

	for (i = 0; i < sizeof(all); i++)
		all[i] = (u8)i;
	KUNIT_EXPECT_EQ(test, sg_alloc_table(&table, 0, GFP_KERNEL), -EINVAL);
	KUNIT_ASSERT_EQ(test, sg_alloc_table(&table, 16, GFP_KERNEL), 0);
	for_each_sgtable_sg(&table, sg, i)
		sg_set_buf(sg, kzalloc(16, GFP_KERNEL), 16);
	KUNIT_EXPECT_EQ(test, sg_nents(table.sgl), 16);
	KUNIT_EXPECT_EQ(test, sg_nents_for_len(table.sgl, 17), 2);
	KUNIT_EXPECT_EQ(test, sg_nents_for_len(table.sgl, 257), -EINVAL);
	KUNIT_EXPECT_EQ(test, sg_copy_from_buffer(table.sgl, 16, all, 256), (size_t)256);
	KUNIT_EXPECT_EQ(test, sg_pcopy_to_buffer(table.sgl, 16, back, 100, 37), (size_t)100);
	KUNIT_EXPECT_MEMEQ(test, back, all + 37, 100);
	sg_miter_start(&miter, table.sgl, 16, SG_MITER_FROM_SG);
	while (sg_miter_next(&miter)) {
		miter.consumed = min(miter.length, (size_t)5);
		KUNIT_EXPECT_MEMEQ(test, (u8 *)miter.addr, all + seen, miter.consumed);
		seen += (unsigned int)miter.consumed;
	}
	sg_miter_stop(&miter);
	KUNIT_EXPECT_EQ(test, seen, 256U);
	KUNIT_EXPECT_EQ(test, sg_zero_buffer(table.sgl, 16, 256, 0), (size_t)256);
	for_each_sgtable_sg(&table, sg, i) {
		KUNIT_EXPECT_NULL(test, memchr_inv(sg_virt(sg), 0, 16));
		kfree(sg_virt(sg));
	}
	sg_free_table(&table);
}

static void test_neighbours_become_one_piece(struct kunit *test)
{
	struct page *four = alloc_pages(GFP_KERNEL, 2), *one = alloc_page(GFP_KERNEL);
	struct page *pages[] = { four, four + 1, four + 2, one, four + 3 };
	struct sg_table table;
	bool follows = one == four + 3;

	KUNIT_ASSERT_NOT_NULL(test, four);
	KUNIT_ASSERT_EQ(test, 0, sg_alloc_table_from_pages(&table, pages, 5, 100,
							   5 * PAGE_SIZE - 200, GFP_KERNEL));
	KUNIT_EXPECT_FALSE(test, follows);
	KUNIT_EXPECT_EQ(test, table.orig_nents, 3U);
	KUNIT_EXPECT_EQ(test, table.sgl->offset, 100U);
	KUNIT_EXPECT_EQ(test, table.sgl->length, (unsigned int)(3 * PAGE_SIZE - 100));
	KUNIT_EXPECT_EQ(test, sg_last(table.sgl, 3)->length, (unsigned int)(PAGE_SIZE - 100));
	sg_free_table(&table);
	__free_page(one);
	__free_pages(four, 2);
}

static void test_pools_respect_their_boundary(struct kunit *test)
{
	struct dma_pool *pool;
	dma_addr_t handle;
	void *blocks[64];

	KUNIT_EXPECT_NULL(test, dma_pool_create("none", NULL, 0, 8, 0));
	KUNIT_EXPECT_NULL(test, dma_pool_create("none", NULL, 64, 8, 32));
	KUNIT_EXPECT_NULL(test, dma_pool_create("none", NULL, 64, 3, 0));
	pool = dma_pool_create("pool", NULL, 72, 8, 256);
	KUNIT_ASSERT_NOT_NULL(test, pool);
	for (int i = 0; i < 64; i++) {
		blocks[i] = dma_pool_zalloc(pool, GFP_KERNEL, &handle);
		KUNIT_ASSERT_NOT_NULL(test, blocks[i]);
		KUNIT_EXPECT_LE(test, handle % 256 + 72, (dma_addr_t)256);
	}
	for (int i = 0; i < 64; i++)
		dma_pool_free(pool, blocks[i], handle);
	dma_pool_destroy(pool);
}

static void test_uuids_are_read_and_made(struct kunit *test)
{
	static const char text[] = "00112233-4455-6677-8899-aabbccddeeff";
	uuid_t uuid, other;
	guid_t guid;

	KUNIT_ASSERT_EQ(test, uuid_parse(text, &uuid), 0);
	KUNIT_ASSERT_EQ(test, guid_parse(text, &guid), 0);
	for (int i = 0; i < 16; i++)
		KUNIT_EXPECT_EQ(test, uuid.b[i], 0x11 * i);
	KUNIT_EXPECT_EQ(test, guid.b[0], 0x33);
	KUNIT_EXPECT_EQ(test, guid.b[4], 0x55);
	KUNIT_EXPECT_EQ(test, uuid_parse("00112233-4455-6677-8899-aabbccddeef", &uuid), -EINVAL);
	KUNIT_EXPECT_EQ(test, uuid_parse("00112233x4455-6677-8899-aabbccddeeff", &uuid), -EINVAL);
	uuid_gen(&uuid);
	uuid_gen(&other);
	KUNIT_EXPECT_EQ(test, uuid.b[6] >> 4, 4);
	KUNIT_EXPECT_EQ(test, uuid.b[8] >> 6, 2);
	KUNIT_EXPECT_FALSE(test, uuid_equal(&uuid, &other));
}

static void test_options_are_taken_apart(struct kunit *test)
{
	static const match_table_t tokens = {
		{ 1, "size=%u" }, { 2, "name=%s" }, { 3, "flag" }, { 4, "mode=%o" }, { 5, "%d-%d" },
		{ 6, "100%%" }, { 0, NULL },
	};
	substring_t args[MAX_OPT_ARGS];
	int number, values[8];
	char *copy, text[] = "first=\"a b\" second third=3", *name, *value, *rest;

	KUNIT_EXPECT_EQ(test, match_token((char[]){ "size=0x10" }, tokens, args), 1);
	copy = (char[]){ "mode=755" };
	KUNIT_EXPECT_EQ(test, match_token(copy, tokens, args), 4);
	KUNIT_EXPECT_EQ(test, match_octal(&args[0], &number), 0);
	KUNIT_EXPECT_EQ(test, number, 0755);
	copy = (char[]){ "-3-7" };
	KUNIT_EXPECT_EQ(test, match_token(copy, tokens, args), 5);
	KUNIT_EXPECT_EQ(test, match_int(&args[0], &number), 0);
	KUNIT_EXPECT_EQ(test, number, -3);
	KUNIT_EXPECT_EQ(test, match_token((char[]){ "flags" }, tokens, args), 0);
	KUNIT_EXPECT_EQ(test, match_token((char[]){ "100%" }, tokens, args), 6);
	copy = (char[]){ "name=disk" };
	KUNIT_EXPECT_EQ(test, match_token(copy, tokens, args), 2);
	copy = match_strdup(&args[0]);
	KUNIT_EXPECT_STREQ(test, copy, "disk");
	kfree(copy);
	KUNIT_EXPECT_TRUE(test, match_wildcard("*a?c*", "xxabcx"));
	KUNIT_EXPECT_FALSE(test, match_wildcard("*a?c", "xxabcx"));

	KUNIT_EXPECT_STREQ(test, get_options("3,5-8,-2x", ARRAY_SIZE(values), values), "x");
	KUNIT_EXPECT_MEMEQ(test, values, ((int[]){ 6, 3, 5, 6, 7, 8, -2 }), 7 * sizeof(int));
	KUNIT_EXPECT_TRUE(test, parse_option_str("one,two", "two"));
	KUNIT_EXPECT_FALSE(test, parse_option_str("one,two", "on"));
	rest = next_arg(text, &name, &value);
	KUNIT_EXPECT_STREQ(test, name, "first");
	KUNIT_EXPECT_STREQ(test, value, "a b");
	rest = next_arg(rest, &name, &value);
	KUNIT_EXPECT_STREQ(test, name, "second");
	KUNIT_EXPECT_NULL(test, value);
	next_arg(rest, &name, &value);
	KUNIT_EXPECT_STREQ(test, value, "3");
}

static void test_dates(struct kunit *test)
{
	struct tm tm;

	time64_to_tm(951782400, 3600, &tm);	/* 29 February 2000, 0:00 UTC */
	KUNIT_EXPECT_EQ(test, tm.tm_year, 100L);
	KUNIT_EXPECT_EQ(test, tm.tm_mon, 1);
	KUNIT_EXPECT_EQ(test, tm.tm_mday, 29);
	KUNIT_EXPECT_EQ(test, tm.tm_hour, 1);
	KUNIT_EXPECT_EQ(test, tm.tm_wday, 2);
	KUNIT_EXPECT_EQ(test, tm.tm_yday, 59);
}

static int plus(int x)
{
	return x + 1;
}

static int times(int x)
{
	return x * 2;
}
static DEFINE_STATIC_CALL(change_number, plus);
static DEFINE_STATIC_CALL_NULL(nothing, plus);

static void test_static_calls_change(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, static_call(change_number)(5), 6);
	static_call_update(change_number, times);
	KUNIT_EXPECT_EQ(test, static_call(change_number)(5), 10);
	static_call_update(change_number, plus);
	static_call_cond(nothing)(5);
}

static void later(void *data, async_cookie_t cookie)
{
	(void)cookie;
	usleep_range(100, 1000);
	atomic_inc(data);
}

static void test_later_calls_are_waited_for(struct kunit *test)
{
	ASYNC_DOMAIN(domain);
	atomic_t count = ATOMIC_INIT(0);
	async_cookie_t last = 0;

	for (int i = 0; i < 20; i++) {
		async_cookie_t cookie = async_schedule_domain(later, &count, &domain);

		KUNIT_EXPECT_GT(test, cookie, last);
		last = cookie;
	}
	async_synchronize_cookie_domain(last, &domain);
	KUNIT_EXPECT_GE(test, atomic_read(&count), 19);
	async_synchronize_full_domain(&domain);
	KUNIT_EXPECT_EQ(test, atomic_read(&count), 20);
}

static DEFINE_WW_CLASS(class_of_two);
static struct ww_mutex two[2];
static struct completion has_second;

/* This context is younger and holds the second lock: it may not wait for the first one. */
static int take_in_other_order(void *result)
{
	struct ww_acquire_ctx ctx;

	ww_acquire_init(&ctx, &class_of_two);
	ww_mutex_lock(&two[1], &ctx);
	complete(&has_second);
	*(int *)result = ww_mutex_lock(&two[0], &ctx);
	ww_mutex_unlock(&two[1]);
	ww_acquire_fini(&ctx);
	while (!kthread_should_stop())
		usleep_range(10, 100);
	return 0;
}

static void test_the_later_of_two_lets_go(struct kunit *test)
{
	struct ww_acquire_ctx ctx;
	struct task_struct *other;
	int result = 0;

	init_completion(&has_second);
	ww_mutex_init(&two[0], &class_of_two);
	ww_mutex_init(&two[1], &class_of_two);
	ww_acquire_init(&ctx, &class_of_two);
	KUNIT_EXPECT_EQ(test, ww_mutex_lock(&two[0], &ctx), 0);
	KUNIT_EXPECT_EQ(test, ww_mutex_lock(&two[0], &ctx), -EALREADY);
	other = kthread_run(take_in_other_order, &result, "other");
	KUNIT_ASSERT_FALSE(test, IS_ERR(other));
	wait_for_completion(&has_second);
	KUNIT_EXPECT_EQ(test, ww_mutex_lock(&two[1], &ctx), 0);	/* waits */
	kthread_stop(other);
	KUNIT_EXPECT_EQ(test, result, -EDEADLK);
	ww_mutex_unlock(&two[0]);
	ww_mutex_unlock(&two[1]);
	ww_acquire_fini(&ctx);
}

DECLARE_TRACE(library_event, TP_PROTO(int number, const char *text), TP_ARGS(number, text));

static void probe(void *data, int number, const char *text)
{
	*(int *)data += number + (int)strlen(text);
}

static void test_probes_are_called(struct kunit *test)
{
	int sum = 0, other = 0;

	trace_library_event(1, "a");
	KUNIT_EXPECT_FALSE(test, trace_library_event_enabled());
	KUNIT_EXPECT_EQ(test, register_trace_library_event(probe, &sum), 0);
	KUNIT_EXPECT_EQ(test, register_trace_library_event(probe, &sum), -EEXIST);
	KUNIT_EXPECT_EQ(test, register_trace_library_event(probe, &other), 0);
	trace_library_event(10, "abc");
	KUNIT_EXPECT_EQ(test, unregister_trace_library_event(probe, &sum), 0);
	KUNIT_EXPECT_TRUE(test, trace_library_event_enabled());
	trace_library_event(100, "");
	KUNIT_EXPECT_EQ(test, unregister_trace_library_event(probe, &other), 0);
	KUNIT_EXPECT_EQ(test, unregister_trace_library_event(probe, &other), -ENOENT);
	tracepoint_synchronize_unregister();
	trace_library_event(1000, "");
	KUNIT_EXPECT_EQ(test, sum, 13);
	KUNIT_EXPECT_EQ(test, other, 113);
}

static struct kunit_case library_cases[] = {
	KUNIT_CASE(test_records_stay_whole), KUNIT_CASE(test_a_short_length_limits_records),
	KUNIT_CASE(test_unaligned_numbers_are_bytes), KUNIT_CASE(test_pieces_are_copied_in_order),
	KUNIT_CASE(test_neighbours_become_one_piece),
	KUNIT_CASE(test_pools_respect_their_boundary), KUNIT_CASE(test_uuids_are_read_and_made),
	KUNIT_CASE(test_options_are_taken_apart), KUNIT_CASE(test_dates),
	KUNIT_CASE(test_static_calls_change),
	KUNIT_CASE(test_later_calls_are_waited_for), KUNIT_CASE(test_the_later_of_two_lets_go),
	KUNIT_CASE(test_probes_are_called), { }
};

static struct kunit_suite library_suite = {
	.name = "library", .test_cases = library_cases,
};
kunit_test_suite(library_suite);
