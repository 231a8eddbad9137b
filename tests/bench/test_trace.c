// SPDX-License-Identifier: MIT
/* The reader of recorded loads: a trace made by hand is read, and damaged ones are refused. */
#include "support/kernel.h"

#include "loads/trace.h"

#define MAGIC "usermm mm events 1\n"
#define MAGIC_BYTES (sizeof(MAGIC) - 1)
#define PAGES(n) ((uint64_t)(n) << 12)

/* test_record_mm_events.py reads this array: the recorder has to write the same. */
static const u8 small[] = {
	3, 2, 1, 3, 5, 1, 1, 1, 7,	/* how many of each kind; pages */
	0x20,				/* new 0 */
	0x82, 0x80, 0x10,		/* touch 0x400, 3 pages */
	0x80, 0xda, 0xef, 0x3f,		/* touch 0x7fff0 */
	0x88, 0x01,			/* touch 0x402 */
	0xa7, 0x01, 0xfa, 0x03,		/* unmap 0x500, 9 pages */
	0xc0, 0x8f, 0x04, 0x01,		/* protect 0x401, readable */
	0x41,				/* copy to 1 */
	0x01, 0x80, 0x03,		/* in 1: touch 0x400 */
	0x60,				/* exit of 1 */
	0x00, 0xe1, 0x01, 0xfa, 0x07,	/* in 0: move 0x401, 2 pages, to 0x600 */
	0x21,				/* new 1 */
	0x80, 0x80, 0x10,		/* touch 0x400 */
	0x60,				/* exit of 1 */
	0x00, 0x60,			/* exit of 0 */
};

static const struct trace_event small_events[] = {
	{ .kind = TRACE_NEW },
	{ .kind = TRACE_TOUCH, .address = PAGES(0x400), .bytes = PAGES(3) },
	{ .kind = TRACE_TOUCH, .address = PAGES(0x7fff0), .bytes = PAGES(1) },
	{ .kind = TRACE_TOUCH, .address = PAGES(0x402), .bytes = PAGES(1) },
	{ .kind = TRACE_UNMAP, .address = PAGES(0x500), .bytes = PAGES(9) },
	{ .kind = TRACE_PROTECT, .address = PAGES(0x401), .bytes = PAGES(1), .prot = 1 },
	{ .kind = TRACE_COPY, .child = 1 },
	{ .kind = TRACE_TOUCH, .space = 1, .address = PAGES(0x400), .bytes = PAGES(1) },
	{ .kind = TRACE_EXIT, .space = 1 },
	{ .kind = TRACE_MOVE, .address = PAGES(0x401), .bytes = PAGES(2), .to = PAGES(0x600) },
	{ .kind = TRACE_NEW, .space = 1 },
	{ .kind = TRACE_TOUCH, .space = 1, .address = PAGES(0x400), .bytes = PAGES(1) },
	{ .kind = TRACE_EXIT, .space = 1 },
	{ .kind = TRACE_EXIT },
};

/* One at a time. */
static u8 file[4096];
static struct trace trace;

/* CRC-32 by its definition: the remainder of a division of polynomials. */
static u32 remainder_of(const u8 *bytes, size_t nr)
{
	u32 rest = 0xffffffff;

	for (size_t bit = 0; bit < nr * 8; bit++) {
		u32 top = (rest ^ bytes[bit / 8] >> bit % 8) & 1;

		rest = (rest >> 1) ^ (top ? 0xedb88320 : 0);
	}
	return ~rest;
}

/* Puts the magic before a body and the checksum behind. The file's size. */
static size_t make_file(const u8 *body, size_t nr)
{
	size_t end = MAGIC_BYTES + nr;
	u32 crc;

	memcpy(file, MAGIC, MAGIC_BYTES);
	memcpy(file + MAGIC_BYTES, body, nr);
	crc = remainder_of(file, end);
	for (unsigned int i = 0; i < 4; i++)
		file[end + i] = (u8)(crc >> 8 * i);
	return end + 4;
}

/* Reads the file to its end. Returns the reader's error; NULL if there is none. */
static const char *read_all(size_t nr)
{
	struct trace_event event;

	trace_open(&trace, file, nr);
	while (trace_next(&trace, &event))
		;
	return trace.error;
}

static void check_event(struct kunit *test, const struct trace_event *event,
			const struct trace_event *expected)
{
	KUNIT_EXPECT_EQ(test, event->kind, expected->kind);
	KUNIT_EXPECT_EQ(test, event->space, expected->space);
	KUNIT_EXPECT_EQ(test, event->child, expected->child);
	KUNIT_EXPECT_EQ(test, event->address, expected->address);
	KUNIT_EXPECT_EQ(test, event->bytes, expected->bytes);
	KUNIT_EXPECT_EQ(test, event->to, expected->to);
	KUNIT_EXPECT_EQ(test, event->prot, expected->prot);
}

static void test_every_event(struct kunit *test)
{
	size_t nr = make_file(small, sizeof(small));
	struct trace_event event;

	KUNIT_ASSERT_TRUE(test, trace_open(&trace, file, nr));
	KUNIT_EXPECT_EQ(test, trace.counts[TRACE_EXIT], 3);
	KUNIT_EXPECT_EQ(test, trace.pages, 7);
	for (unsigned int round = 0; round < 2; round++) {
		for (unsigned int i = 0; i < ARRAY_SIZE(small_events); i++) {
			KUNIT_ASSERT_TRUE(test, trace_next(&trace, &event));
			check_event(test, &event, &small_events[i]);
		}
		KUNIT_EXPECT_FALSE(test, trace_next(&trace, &event));
		KUNIT_EXPECT_NULL(test, trace.error);
		trace_rewind(&trace);
	}
}

/* Numbers that do not fit into the first byte of a record. */
static void test_large_numbers(struct kunit *test)
{
	static const u8 body[] = {
		0, 1, 0, 1, 1, 0, 0, 0, 0xe8, 0x07,	/* pages: 1000 */
		0x3f, 0xe0, 0x07,			/* new 31 + 992 = 1023 */
		0x87, 0xe0, 0x07, 0x00,			/* touch 0, 7 + 992 + 1 pages */
		0x60,
	};
	struct trace_event event;

	KUNIT_ASSERT_TRUE(test, trace_open(&trace, file, make_file(body, sizeof(body))));
	KUNIT_ASSERT_TRUE(test, trace_next(&trace, &event));
	KUNIT_EXPECT_EQ(test, event.space, 1023);
	KUNIT_ASSERT_TRUE(test, trace_next(&trace, &event));
	KUNIT_EXPECT_EQ(test, event.bytes, PAGES(1000));
	KUNIT_ASSERT_TRUE(test, trace_next(&trace, &event));
	KUNIT_EXPECT_FALSE(test, trace_next(&trace, &event));
	KUNIT_EXPECT_NULL(test, trace.error);
}

/* 1023 pages are near, 1024 are not: which of the four ends does the new end replace? */
static void test_last_ends(struct kunit *test)
{
	static const u8 body[] = {
		0, 1, 0, 1, 8, 0, 0, 0, 8,
		0x20,
		0x80, 0x90, 0x4e,	/* 5000; then the ends are 5001 0 0 0 */
		0x80, 0x80, 0x10,	/* + 1024: 6026 5001 0 0 */
		0x88, 0x00,		/* the second: 5002 6026 0 0 */
		0x88, 0xfe, 0x0f,	/* the second + 1023: 7050 5002 0 0 */
		0x88, 0xff, 0x0f,	/* the second - 1024: 3979 7050 5002 0 */
		0x90, 0xfd, 0x0f,	/* the third - 1023: 3980 3979 7050 0 */
		0x98, 0x12,		/* the fourth + 9: 10 3980 3979 7050 */
		0x98, 0x00,		/* the fourth */
		0x60,
	};
	static const u64 pages[] = { 5000, 6025, 5001, 7049, 3978, 3979, 9, 7050 };
	struct trace_event event;

	KUNIT_ASSERT_TRUE(test, trace_open(&trace, file, make_file(body, sizeof(body))));
	KUNIT_ASSERT_TRUE(test, trace_next(&trace, &event));
	for (unsigned int i = 0; i < ARRAY_SIZE(pages); i++) {
		KUNIT_ASSERT_TRUE(test, trace_next(&trace, &event));
		KUNIT_EXPECT_EQ(test, event.address, PAGES(pages[i]));
	}
	KUNIT_EXPECT_NULL(test, read_all(MAGIC_BYTES + sizeof(body) + 4));
}

static void test_every_bit_counts(struct kunit *test)
{
	size_t nr = make_file(small, sizeof(small));

	KUNIT_ASSERT_NULL(test, read_all(nr));
	for (size_t bit = 0; bit < nr * 8; bit++) {
		file[bit / 8] ^= (u8)(1 << bit % 8);
		KUNIT_EXPECT_NOT_NULL_MSG(test, read_all(nr), "bit %zu", bit);
		file[bit / 8] ^= (u8)(1 << bit % 8);
	}
	for (size_t less = 1; less <= nr; less++)
		KUNIT_EXPECT_NOT_NULL_MSG(test, read_all(nr - less), "%zu bytes", nr - less);
}

/* Wrong traces with a right checksum, and the error for each. */
static void test_wrong_records(struct kunit *test)
{
	static const struct {
		const char *error;
		size_t nr;
		u8 body[32];
	} cases[] = {
#define CASE(text, ...) { text, sizeof((u8[]){ __VA_ARGS__ }), { __VA_ARGS__ } }
		CASE("a record is cut off", 0, 1, 0, 1),
		CASE("a record is cut off", 0, 1, 0, 1, 1, 0, 0, 0, 1, 0x20, 0x80),
		CASE("a record is cut off", 0, 1, 0, 1, 0, 0, 1, 0, 1, 0x20, 0xc0, 0x00),
		CASE("a record is cut off", 0, 1, 0, 1, 0, 0, 0, 1, 1, 0x20, 0xe0, 0x00),
		CASE("a record is cut off", 0, 1, 0, 1, 1, 0, 0, 0, 1, 0x20, 0x80, 0x80),
		CASE("a number is too large", 0, 1, 0, 1, 1, 0, 0, 0, 1, 0x20, 0x80,
		     0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01),
		CASE("a range reaches beyond the address space",	/* page -1 */
		     0, 1, 0, 1, 1, 0, 0, 0, 1, 0x20, 0x80, 0x01, 0x60),
		CASE("a range reaches beyond the address space",	/* page 2^35 */
		     0, 1, 0, 1, 1, 0, 0, 0, 1, 0x20, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02),
		CASE("a range reaches beyond the address space",	/* 2^35 - 1, two pages */
		     0, 1, 0, 1, 1, 0, 0, 0, 2, 0x20, 0x81, 0xfe, 0xff, 0xff, 0xff, 0xff, 0x01),
		CASE("a range reaches beyond the address space",	/* 2^35 + 8 pages */
		     0, 1, 0, 1, 1, 0, 0, 0, 2, 0x20, 0x87, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01,
		     0x00),
		CASE("an address space has too large a number",		/* 31 + 993 */
		     0, 1, 0, 1, 0, 0, 0, 0, 0, 0x3f, 0xe1, 0x07, 0x60),
		CASE("an address space begins that has not ended",
		     0, 2, 0, 1, 0, 0, 0, 0, 0, 0x20, 0x20, 0x60),
		CASE("an address space begins that has not ended",
		     0, 1, 1, 1, 0, 0, 0, 0, 0, 0x20, 0x40, 0x60),
		CASE("a record is about no address space", 0, 0, 0, 1, 0, 0, 0, 0, 0, 0x60),
		CASE("a record is about no address space",
		     0, 1, 0, 1, 1, 0, 0, 0, 1, 0x20, 0x60, 0x80, 0x00),
		CASE("a record is about no address space",
		     1, 1, 0, 1, 0, 0, 0, 0, 0, 0x20, 0x01, 0x60),
		CASE("a record of an unknown kind", 0, 1, 0, 1, 0, 0, 0, 0, 0, 0x20, 0x61),
		CASE("rights that there are none of",
		     0, 1, 0, 1, 0, 0, 1, 0, 0, 0x20, 0xc0, 0x00, 0x08, 0x60),
		CASE("an address space does not end", 0, 1, 0, 0, 0, 0, 0, 0, 0, 0x20),
		CASE("its records are not as many as its head says",
		     0, 1, 0, 1, 1, 0, 0, 0, 0, 0x20, 0x60),
		CASE("its records are not as many as its head says",	/* pages */
		     0, 1, 0, 1, 1, 0, 0, 0, 2, 0x20, 0x80, 0x00, 0x60),
#undef CASE
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *error = read_all(make_file(cases[i].body, cases[i].nr));

		KUNIT_EXPECT_STREQ_MSG(test, error ? error : "", cases[i].error, "case %u", i);
	}
}

static void test_other_files(struct kunit *test)
{
	size_t nr = make_file(small, sizeof(small));

	file[MAGIC_BYTES - 2] = '2';
	KUNIT_EXPECT_STREQ(test, read_all(nr), "it is no trace of mm events of version 1");
	KUNIT_EXPECT_FALSE(test, trace_open_file(&trace, "/dev/null/none"));
	KUNIT_EXPECT_STREQ(test, trace.error, "it cannot be opened");
	KUNIT_EXPECT_FALSE(test, trace_open_file(&trace, "/dev/null"));
	KUNIT_EXPECT_STREQ(test, trace.error, "it cannot be read");
}

static struct kunit_case cases[] = {
	KUNIT_CASE(test_every_event),
	KUNIT_CASE(test_large_numbers),
	KUNIT_CASE(test_last_ends),
	KUNIT_CASE(test_every_bit_counts),
	KUNIT_CASE(test_wrong_records),
	KUNIT_CASE(test_other_files),
	{ 0 },
};

static struct kunit_suite suite = {
	.name = "mm_trace",
	.test_cases = cases,
};

kunit_test_suite(suite);
