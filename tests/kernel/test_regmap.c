// SPDX-License-Identifier: MIT
/*
 * Registers by number. The kernel's own tests of the cache, of pages and of raw values run as well
 * (tests/module/run_upstream.py); here are formats, buses and fields.
 */
#include <kunit/test.h>
#include <linux/clk-provider.h>
#include <linux/i2c.h>
#include <linux/platform_device.h>
#include <linux/regmap.h>
#include <linux/slab.h>
#include <linux/spi/spi.h>

static u32 registers[16];

static int read_register(void *context, unsigned int reg, unsigned int *value)
{
	(void)context;
	*value = registers[reg];
	return 0;
}

static int write_register(void *context, unsigned int reg, unsigned int value)
{
	++*(int *)context;
	registers[reg] = value;
	return 0;
}

static void test_registers_are_read_and_changed(struct kunit *test)
{
	static const struct regmap_range closed[] = { regmap_reg_range(4, 6) };
	static const struct regmap_access_table writable = {
		.no_ranges = closed, .n_no_ranges = 1,
	};
	static const struct regmap_config config = {
		.reg_bits = 8, .val_bits = 16, .max_register = 15, .wr_table = &writable,
		.reg_read = read_register, .reg_write = write_register,
	};
	struct platform_device *device = platform_device_register_simple("map", -1, NULL, 0);
	int writes = 0;
	struct regmap *map = devm_regmap_init(&device->dev, NULL, &writes, &config);
	struct regmap_field *field;
	unsigned int value;
	u16 bulk[3] = { 0x102, 0x304, 0x506 };
	bool change;

	KUNIT_EXPECT_EQ(test, PTR_ERR(regmap_init(NULL, NULL, NULL, &(struct regmap_config){
		.val_bits = 8 })), -EINVAL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(map));
	KUNIT_EXPECT_PTR_EQ(test, dev_get_regmap(&device->dev, NULL), map);
	KUNIT_EXPECT_EQ(test, regmap_write(map, 3, 0xf0), 0);
	KUNIT_EXPECT_EQ(test, regmap_update_bits_check(map, 3, 0xff, 0xf0, &change), 0);
	KUNIT_EXPECT_FALSE(test, change);
	KUNIT_EXPECT_EQ(test, writes, 1);
	KUNIT_EXPECT_EQ(test, regmap_update_bits(map, 3, 0x0f, 0xa5), 0);
	KUNIT_EXPECT_EQ(test, registers[3], 0xf5U);
	KUNIT_EXPECT_EQ(test, regmap_write(map, 5, 1), -EIO);
	KUNIT_EXPECT_EQ(test, regmap_read(map, 16, &value), -EIO);
	KUNIT_EXPECT_EQ(test, regmap_bulk_write(map, 8, bulk, 3), 0);
	KUNIT_EXPECT_EQ(test, registers[9], 0x304U);
	memset(bulk, 0, sizeof(bulk));
	KUNIT_EXPECT_EQ(test, regmap_bulk_read(map, 8, bulk, 3), 0);
	KUNIT_EXPECT_EQ(test, bulk[2], 0x506);
	field = devm_regmap_field_alloc(&device->dev, map, (struct reg_field)REG_FIELD(3, 4, 7));
	KUNIT_EXPECT_EQ(test, regmap_field_write(field, 9), 0);
	KUNIT_EXPECT_EQ(test, registers[3], 0x95U);
	KUNIT_EXPECT_EQ(test, regmap_field_read(field, &value), 0);
	KUNIT_EXPECT_EQ(test, value, 9U);
	KUNIT_EXPECT_EQ(test, regmap_read_poll_timeout(map, 3, value, value == 0, 10, 100),
			-ETIMEDOUT);
	KUNIT_EXPECT_EQ(test, 0,
			regmap_read_poll_timeout(map, 3, value, value == 0x95, 10, 100));
	platform_device_unregister(device);
	KUNIT_EXPECT_NULL(test, dev_get_regmap(&device->dev, NULL));
}

static u8 bytes_on_bus[4];

static int write_bytes(void *context, const void *bytes, size_t n)
{
	(void)context;
	if (n != sizeof(bytes_on_bus))
		return -EINVAL;
	memcpy(bytes_on_bus, bytes, n);
	return 0;
}

static int read_bytes(void *context, const void *reg, size_t reg_size, void *value, size_t n)
{
	(void)context;
	(void)reg_size;
	memcpy(value, bytes_on_bus + 2, n);
	return memcmp(reg, bytes_on_bus, 2) ? -ENXIO : 0;
}

#ifdef __LITTLE_ENDIAN
#define NATIVE_BYTES "\x02\x01\x04\x03"
#else
#define NATIVE_BYTES "\x01\x02\x03\x04"
#endif

/* Register 0x0102 gets 0x0304: what goes over the bus, and what memory has from byte 8 on. */
static void test_registers_have_an_order(struct kunit *test)
{
	static const struct {
		enum regmap_endian asked, of_bus;
		const char *bus, *memory;
	} cases[] = {
		{ REGMAP_ENDIAN_DEFAULT, REGMAP_ENDIAN_DEFAULT, "\x01\x02\x03\x04", "\x04\x03" },
		{ REGMAP_ENDIAN_DEFAULT, REGMAP_ENDIAN_LITTLE, "\x02\x01\x04\x03", "\x04\x03" },
		{ REGMAP_ENDIAN_DEFAULT, REGMAP_ENDIAN_NATIVE, NATIVE_BYTES, "\x04\x03" },
		{ REGMAP_ENDIAN_BIG, REGMAP_ENDIAN_LITTLE, "\x01\x02\x03\x04", "\x03\x04" },
		{ REGMAP_ENDIAN_LITTLE, REGMAP_ENDIAN_BIG, "\x02\x01\x04\x03", "\x04\x03" },
		{ REGMAP_ENDIAN_NATIVE, REGMAP_ENDIAN_DEFAULT, NATIVE_BYTES, &NATIVE_BYTES[2] },
	};
	static u8 memory[16] __aligned(4);

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct regmap_config config = {
			.reg_bits = 16, .val_bits = 16, .reg_format_endian = cases[i].asked,
			.val_format_endian = cases[i].asked,
		};
		struct regmap_bus bus = {
			.write = write_bytes, .read = read_bytes,
			.reg_format_endian_default = cases[i].of_bus,
			.val_format_endian_default = cases[i].of_bus,
		};
		struct regmap *map = regmap_init(NULL, &bus, NULL, &config);
		unsigned int value = 0;

		KUNIT_ASSERT_FALSE(test, IS_ERR(map));
		KUNIT_EXPECT_EQ(test, regmap_write(map, 0x0102, 0x0304), 0);
		KUNIT_EXPECT_EQ_MSG(test, memcmp(bytes_on_bus, cases[i].bus, 4), 0, "case %u", i);
		KUNIT_EXPECT_EQ(test, regmap_read(map, 0x0102, &value), 0);
		KUNIT_EXPECT_EQ(test, value, 0x0304U);
		regmap_exit(map);

		map = regmap_init_mmio(NULL, (void __iomem *)memory, &config);
		KUNIT_ASSERT_FALSE(test, IS_ERR(map));
		KUNIT_EXPECT_EQ(test, regmap_write(map, 8, 0x0304), 0);
		KUNIT_EXPECT_EQ_MSG(test, memcmp(memory + 8, cases[i].memory, 2), 0, "case %u", i);
		KUNIT_EXPECT_EQ(test, regmap_read(map, 8, &value), 0);
		KUNIT_EXPECT_EQ(test, value, 0x0304U);
		regmap_exit(map);

		config.val_bits = 32;
		map = regmap_init_mmio(NULL, (void __iomem *)memory, &config);
		KUNIT_ASSERT_FALSE(test, IS_ERR(map));
		KUNIT_EXPECT_EQ(test, regmap_write(map, 8, 0x03040304), 0);
		KUNIT_EXPECT_EQ_MSG(test, memcmp(memory + 8, cases[i].memory, 2), 0, "case %u", i);
		KUNIT_EXPECT_EQ(test, regmap_read(map, 8, &value), 0);
		KUNIT_EXPECT_EQ(test, value, 0x03040304U);
		regmap_exit(map);
	}
}

/* The messages that a bus was sent, one after the other. */
static struct {
	u8 bytes[256];
	size_t n, sizes[16];
	unsigned int nr;
	int error;			/* what the next message gets */
} sent;

static void forget(struct kunit *test)
{
	(void)test;
	memset(&sent, 0, sizeof(sent));
	memset(registers, 0, sizeof(registers));
}

static int record(void *context, const void *bytes, size_t n)
{
	(void)context;
	memcpy(sent.bytes + sent.n, bytes, n);
	sent.n += n;
	sent.sizes[sent.nr++] = n;
	return sent.error;
}

/* Values count from 1. */
static int record_and_count(void *context, const void *reg, size_t reg_size, void *values, size_t n)
{
	record(context, reg, reg_size);
	for (size_t i = 0; i < n; i++)
		((u8 *)values)[i] = (u8)(i + 1);
	return sent.error;
}

static const struct regmap_bus recorder = { .write = record, .read = record_and_count };

/* Was this sent, and nothing else? */
static bool was_sent(const char *bytes, size_t n, unsigned int messages)
{
	bool same = sent.n == n && sent.nr == messages && !memcmp(sent.bytes, bytes, n);

	memset(&sent, 0, sizeof(sent));
	return same;
}

#define WAS_SENT(bytes, messages) was_sent(bytes, sizeof(bytes) - 1, messages)

static void test_numbers_and_values_share_bytes(struct kunit *test)
{
	static const struct {
		int reg_bits, val_bits;
		unsigned int reg, value;
		const char *bytes;
		size_t n;
	} cases[] = {
		{ 2, 6, 2, 0x15, "\x95", 1 },
		{ 4, 12, 0xa, 0x123, "\xa1\x23", 2 },
		{ 7, 9, 0x41, 0x101, "\x83\x01", 2 },
		{ 7, 17, 0x41, 0x10203, "\x83\x02\x03", 3 },
		{ 10, 14, 0x201, 0x2345, "\x80\x63\x45", 3 },
		{ 12, 20, 0xabc, 0x12345, "\xab\xc1\x23\x45", 4 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct regmap_config config = {
			.reg_bits = cases[i].reg_bits, .val_bits = cases[i].val_bits,
		};
		struct regmap *map = regmap_init(NULL, &recorder, NULL, &config);
		unsigned int value;

		KUNIT_ASSERT_FALSE(test, IS_ERR(map));
		KUNIT_EXPECT_EQ(test, regmap_write(map, cases[i].reg, cases[i].value), 0);
		KUNIT_EXPECT_TRUE_MSG(test, was_sent(cases[i].bytes, cases[i].n, 1), "case %u", i);
		KUNIT_EXPECT_EQ(test, regmap_read(map, cases[i].reg, &value), -EIO);
		KUNIT_EXPECT_EQ(test, regmap_get_val_bytes(map), -EINVAL);
		KUNIT_EXPECT_FALSE(test, regmap_can_raw_write(map));
		KUNIT_EXPECT_EQ(test, regmap_raw_write(map, 0, "abcd", 4), -EINVAL);
		KUNIT_EXPECT_EQ(test, regmap_parse_val(map, "abcd", &value), -EINVAL);
		regmap_exit(map);
	}
}

/* A device that cannot be read, as many codecs: bits of registers change in the cache. */
static void test_what_was_written_is_known(struct kunit *test)
{
	static const struct reg_default defaults[] = { { 3, 0x0f0 }, { 1, 0x001 } };
	static const struct regmap_config config = {
		.reg_bits = 7, .val_bits = 9, .max_register = 15, .cache_type = REGCACHE_MAPLE,
		.reg_defaults = defaults, .num_reg_defaults = ARRAY_SIZE(defaults),
	};
	struct regmap *map = regmap_init(NULL, &recorder, NULL, &config);
	unsigned int value;

	KUNIT_ASSERT_FALSE(test, IS_ERR(map));
	KUNIT_EXPECT_EQ(test, regmap_update_bits(map, 3, 0x00f, 0x005), 0);
	KUNIT_EXPECT_TRUE(test, WAS_SENT("\x06\xf5", 1));
	KUNIT_EXPECT_EQ(test, regmap_update_bits(map, 3, 0x00f, 0x005), 0);
	KUNIT_EXPECT_EQ(test, regmap_read(map, 1, &value), 0);
	KUNIT_EXPECT_EQ(test, value, 1U);
	KUNIT_EXPECT_EQ(test, regmap_read(map, 2, &value), -EIO);
	KUNIT_EXPECT_TRUE(test, WAS_SENT("", 0));
	regcache_mark_dirty(map);
	KUNIT_EXPECT_EQ(test, regcache_sync(map), 0);
	KUNIT_EXPECT_TRUE(test, WAS_SENT("\x06\xf5", 1));	/* register 1 has its default */
	regmap_exit(map);
}

static void test_numbers_are_padded_and_shifted(struct kunit *test)
{
	static const struct {
		struct regmap_config config;
		const char *written, *asked;
		size_t n;
	} cases[] = {
		{ { .reg_bits = 8, .val_bits = 8, .pad_bits = 8 }, "\x12\x00\x7f", "\x12\x00", 2 },
		{ { .reg_bits = 7, .val_bits = 8, .pad_bits = 1 }, "\x24\x7f", "\x24", 1 },
		{ { .reg_bits = 16, .val_bits = 8, .reg_base = 0x100 },
		  "\x01\x12\x7f", "\x01\x12", 2 },
		{ { .reg_bits = 8, .val_bits = 8, .reg_shift = REGMAP_DOWNSHIFT(1) },
		  "\x09\x7f", "\x09", 1 },
		{ { .reg_bits = 8, .val_bits = 8, .reg_shift = REGMAP_UPSHIFT(2) },
		  "\x48\x7f", "\x48", 1 },
		{ { .reg_bits = 24, .val_bits = 8 }, "\x00\x00\x12\x7f", "\x00\x00\x12", 3 },
		{ { .reg_bits = 8, .val_bits = 8, .read_flag_mask = 0x80, .write_flag_mask = 0x40 },
		  "\x52\x7f", "\x92", 1 },
		{ { .reg_bits = 16, .val_bits = 8, .read_flag_mask = 0x80c0 },
		  "\x00\x12\x7f", "\xc0\x92", 2 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct regmap *map = regmap_init(NULL, &recorder, NULL, &cases[i].config);
		unsigned int value;

		KUNIT_ASSERT_FALSE(test, IS_ERR(map));
		KUNIT_EXPECT_EQ(test, regmap_write(map, 0x12, 0x7f), 0);
		KUNIT_EXPECT_TRUE_MSG(test, was_sent(cases[i].written, cases[i].n + 1, 1),
				      "case %u", i);
		KUNIT_EXPECT_EQ(test, regmap_read(map, 0x12, &value), 0);
		KUNIT_EXPECT_TRUE_MSG(test, was_sent(cases[i].asked, cases[i].n, 1), "case %u", i);
		regmap_exit(map);
	}
}

static void test_impossible_maps_are_refused(struct kunit *test)
{
	static const struct regmap_range_cfg outside[] = {
		{ .range_min = 16, .range_max = 32, .window_start = 8, .window_len = 8 },
	};
	static const struct regmap_range_cfg overlapping[] = {
		{ .range_min = 16, .range_max = 32, .window_start = 8, .window_len = 4 },
		{ .range_min = 32, .range_max = 48, .window_start = 12, .window_len = 4 },
	};
	static const struct reg_default odd[] = { { 1, 0 } };
	static const struct regmap_config cases[] = {
		{ .reg_bits = 8 }, { .reg_bits = 8, .val_bits = 40 },
		{ .reg_bits = 5, .val_bits = 8 },
		{ .reg_bits = 8, .val_bits = 9 }, { .reg_bits = 7, .val_bits = 8 },
		{ .reg_bits = 7, .val_bits = 9, .val_format_endian = REGMAP_ENDIAN_LITTLE },
		{ .reg_bits = 24, .val_bits = 8, .reg_format_endian = REGMAP_ENDIAN_LITTLE },
		{ .reg_bits = 8, .val_bits = 8, .pad_bits = 1024 },
		{ .reg_bits = 8, .val_bits = 8, .cache_type = REGCACHE_FLAT },
		{ .reg_bits = 8, .val_bits = 8, .cache_type = REGCACHE_FLAT_S + 1 },
		{ .reg_bits = 8, .val_bits = 8, .cache_type = REGCACHE_RBTREE,
		  .reg_defaults = odd },
		{ .reg_bits = 8, .val_bits = 8, .cache_type = REGCACHE_RBTREE, .reg_stride = 2,
		  .reg_defaults = odd, .num_reg_defaults = 1 },
		{ .reg_bits = 8, .val_bits = 8, .max_register = 31, .ranges = outside,
		  .num_ranges = 1 },
		{ .reg_bits = 8, .val_bits = 8, .max_register = 63, .ranges = overlapping,
		  .num_ranges = 2 },
	};
	static const struct regmap_config in_memory[] = {
		{ .reg_bits = 32, .val_bits = 24 }, { .reg_bits = 24, .val_bits = 32 },
		{ .reg_bits = 32, .val_bits = 32, .reg_stride = 2 },
		{ .reg_bits = 32, .val_bits = 8, .pad_bits = 8 },
		{ .reg_bits = 32, .val_bits = 8, .io_port = true, .use_relaxed_mmio = true },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ_MSG(test, PTR_ERR(regmap_init(NULL, &recorder, NULL, &cases[i])),
				    -EINVAL, "case %u", i);
	for (unsigned int i = 0; i < ARRAY_SIZE(in_memory); i++)
		KUNIT_EXPECT_EQ_MSG(test, PTR_ERR(regmap_init_mmio(NULL, NULL, &in_memory[i])),
				    -EINVAL, "case %u", i);
}

static void test_many_values_are_few_messages(struct kunit *test)
{
	static const struct regmap_config config = { .reg_bits = 8, .val_bits = 16 };
	static const u16 values[] = { 0x0102, 0x0304, 0x0506 };
	struct regmap_bus bus = recorder;
	struct regmap *map;
	u16 read[2];
	u8 bytes[4];

	bus.max_raw_write = 5;
	bus.max_raw_read = 2;
	map = regmap_init(NULL, &bus, NULL, &config);
	KUNIT_ASSERT_FALSE(test, IS_ERR(map));
	KUNIT_EXPECT_EQ(test, regmap_bulk_write(map, 0x10, values, 3), 0);
	KUNIT_EXPECT_TRUE(test, WAS_SENT("\x10\x01\x02\x03\x04" "\x12\x05\x06", 2));
	KUNIT_EXPECT_EQ(test, regmap_bulk_read(map, 0x10, read, 2), 0);
	KUNIT_EXPECT_TRUE(test, WAS_SENT("\x10\x11", 2));
	KUNIT_EXPECT_EQ(test, read[1], 0x0102);
	KUNIT_EXPECT_EQ(test, regmap_raw_write(map, 0x10, "abc", 3), -EINVAL);
	KUNIT_EXPECT_EQ(test, regmap_raw_read(map, 0x10, bytes, 3), -EINVAL);
	KUNIT_EXPECT_EQ(test, regmap_bulk_read(map, 0x10, read, 0), -EINVAL);
	regmap_exit(map);
}

static void test_values_are_moved_one_by_one(struct kunit *test)
{
	static const struct regmap_config cases[] = {
		{ .reg_bits = 8, .val_bits = 8, .use_single_read = true, .use_single_write = true },
		{ .reg_bits = 8, .val_bits = 8, .use_single_rw = true },
	};
	u8 bytes[2];

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct regmap *map = regmap_init(NULL, &recorder, NULL, &cases[i]);

		KUNIT_ASSERT_FALSE(test, IS_ERR(map));
		KUNIT_EXPECT_EQ(test, regmap_bulk_write(map, 3, "ab", 2), 0);
		KUNIT_EXPECT_TRUE(test, WAS_SENT("\x03" "a" "\x04" "b", 2));
		KUNIT_EXPECT_EQ(test, regmap_bulk_read(map, 3, bytes, 2), 0);
		KUNIT_EXPECT_TRUE(test, WAS_SENT("\x03\x04", 2));
		regmap_exit(map);
	}
}

/* All for one register. What is cached is the last one. */
static void test_queues_take_many_values(struct kunit *test)
{
	static const struct regmap_range queue[] = { regmap_reg_range(4, 4) };
	static const struct regmap_access_table table = { .yes_ranges = queue, .n_yes_ranges = 1 };
	static const struct regmap_config config = {
		.reg_bits = 8, .val_bits = 8, .wr_noinc_table = &table, .rd_noinc_table = &table,
	};
	struct regmap *map = regmap_init(NULL, &recorder, NULL, &config);
	u8 bytes[3];

	KUNIT_ASSERT_FALSE(test, IS_ERR(map));
	KUNIT_EXPECT_EQ(test, regmap_noinc_write(map, 4, "abc", 3), 0);
	KUNIT_EXPECT_TRUE(test, WAS_SENT("\x04" "abc", 1));
	KUNIT_EXPECT_EQ(test, regmap_noinc_read(map, 4, bytes, 3), 0);
	KUNIT_EXPECT_TRUE(test, WAS_SENT("\x04", 1));
	KUNIT_EXPECT_EQ(test, regmap_noinc_write(map, 5, "abc", 3), -EINVAL);
	KUNIT_EXPECT_EQ(test, regmap_noinc_read(map, 5, bytes, 3), -EINVAL);
	KUNIT_EXPECT_EQ(test, regmap_noinc_write(map, 4, "abc", 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, regmap_raw_write(map, 3, "ab", 2), -EINVAL);	/* 4 is a queue */
	KUNIT_EXPECT_TRUE(test, WAS_SENT("", 0));
	regmap_exit(map);
}

static const struct regmap_range_cfg pages[] = {
	{ .range_min = 16, .range_max = 31, .selector_reg = 1, .selector_mask = 0x0f,
	  .window_start = 8, .window_len = 4 },
};

static void test_sequences_end_at_pages_and_delays(struct kunit *test)
{
	static const struct regmap_config config = {
		.reg_bits = 8, .val_bits = 8, .max_register = 31, .can_multi_write = true,
		.cache_type = REGCACHE_RBTREE, .ranges = pages, .num_ranges = 1,
	};
	static const struct reg_sequence plain[] = { REG_SEQ0(2, 0x22), REG_SEQ0(5, 0x55) };
	static const struct reg_sequence sequence[] = {
		REG_SEQ0(2, 0x22), REG_SEQ(3, 0x33, 1), REG_SEQ0(4, 0x44), REG_SEQ0(21, 0x21),
		REG_SEQ0(6, 0x66),
	};
	struct regmap *map = regmap_init(NULL, &recorder, NULL, &config);

	KUNIT_ASSERT_FALSE(test, IS_ERR(map));
	KUNIT_EXPECT_EQ(test, regmap_multi_reg_write(map, plain, ARRAY_SIZE(plain)), 0);
	KUNIT_EXPECT_TRUE(test, WAS_SENT("\x02\x22\x05\x55", 1));
	KUNIT_EXPECT_EQ(test, regmap_write(map, 1, 0), 0);
	KUNIT_EXPECT_TRUE(test, WAS_SENT("\x01\x00", 1));
	KUNIT_EXPECT_EQ(test, regmap_multi_reg_write(map, sequence, ARRAY_SIZE(sequence)), 0);
	KUNIT_EXPECT_TRUE(test, WAS_SENT("\x02\x22\x03\x33" "\x04\x44" "\x01\x01"
					 "\x09\x21\x06\x66", 4));
	KUNIT_EXPECT_EQ(test, regmap_multi_reg_write(map, (struct reg_sequence[]){
		REG_SEQ0(40, 1) }, 1), -EINVAL);
	regmap_exit(map);
}

/* Two registers of one page are one message, also with another register between them. */
static void test_sequences_stay_in_a_page(struct kunit *test)
{
	static const struct regmap_config config = {
		.reg_bits = 8, .val_bits = 8, .max_register = 31, .can_multi_write = true,
		.cache_type = REGCACHE_RBTREE, .ranges = pages, .num_ranges = 1, .fast_io = true,
	};
	static const struct reg_sequence sequence[] = {
		REG_SEQ0(20, 0x20), REG_SEQ0(2, 0x22), REG_SEQ0(23, 0x23), REG_SEQ0(24, 0x24),
	};
	struct regmap *map = regmap_init(NULL, &recorder, NULL, &config);

	KUNIT_ASSERT_FALSE(test, IS_ERR(map));
	KUNIT_EXPECT_EQ(test, regmap_write(map, 1, 0), 0);
	KUNIT_EXPECT_TRUE(test, WAS_SENT("\x01\x00", 1));
	KUNIT_EXPECT_EQ(test, regmap_multi_reg_write(map, sequence, ARRAY_SIZE(sequence)), 0);
	KUNIT_EXPECT_TRUE(test, WAS_SENT("\x01\x01" "\x08\x20\x02\x22\x0b\x23" "\x01\x02"
					 "\x08\x24", 4));
	regmap_exit(map);
}

/* A bus may lack reading or writing; registers of functions need no sizes. */
static void test_maps_may_be_incomplete(struct kunit *test)
{
	static const struct regmap_bus only_write = { .reg_write = write_register };
	static const struct regmap_bus only_read = { .reg_read = read_register };
	static const struct regmap_bus neither = { .fast_io = true };
	static const struct regmap_config config = {
		.reg_bits = 8, .val_bits = 8, .max_register = 15, .cache_type = REGCACHE_MAPLE,
	};
	static const struct regmap_config without_sizes = {
		.reg_read = read_register, .reg_write = write_register,
	};
	int writes = 0;
	struct regmap *map = regmap_init(NULL, &only_write, &writes, &config);
	unsigned int value;
	u8 byte = 1;

	KUNIT_ASSERT_FALSE(test, IS_ERR(map));
	KUNIT_EXPECT_EQ(test, regmap_write(map, 3, 7), 0);
	KUNIT_EXPECT_EQ(test, registers[3], 7U);
	KUNIT_EXPECT_EQ(test, regmap_read(map, 3, &value), 0);
	KUNIT_EXPECT_EQ(test, value, 7U);
	KUNIT_EXPECT_EQ(test, regmap_read(map, 4, &value), -EIO);
	regmap_exit(map);

	map = regmap_init(NULL, &only_read, NULL, &config);
	KUNIT_ASSERT_FALSE(test, IS_ERR(map));
	KUNIT_EXPECT_EQ(test, regmap_read(map, 3, &value), 0);
	KUNIT_EXPECT_EQ(test, value, 7U);
	KUNIT_EXPECT_EQ(test, regmap_write(map, 3, 8), -EINVAL);
	regmap_exit(map);
	KUNIT_EXPECT_EQ(test, PTR_ERR(regmap_init(NULL, &neither, NULL, &config)), -EINVAL);

	map = regmap_init(NULL, NULL, &writes, &without_sizes);
	KUNIT_ASSERT_FALSE(test, IS_ERR(map));
	KUNIT_EXPECT_EQ(test, regmap_update_bits(map, 3, 8, 8), 0);
	KUNIT_EXPECT_EQ(test, registers[3], 15U);
	KUNIT_EXPECT_EQ(test, regmap_bulk_read(map, 3, &byte, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, regmap_bulk_write(map, 3, &byte, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, regmap_raw_read(map, 3, &byte, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, regmap_raw_write(map, 3, &byte, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, regmap_noinc_read(map, 3, &byte, 1), -ENOTSUPP);
	KUNIT_EXPECT_EQ(test, registers[3], 15U);
	regmap_exit(map);
}

static int nr_updates;

static int count_update(void *context, unsigned int reg, unsigned int mask, unsigned int value)
{
	(void)context;
	(void)reg;
	(void)mask;
	(void)value;
	nr_updates++;
	return 0;
}

static int refuse_update(void *context, unsigned int reg, unsigned int mask, unsigned int value)
{
	(void)context;
	(void)reg;
	(void)mask;
	(void)value;
	return -ENXIO;
}

/* A bus changes bits by its own function, and not by the config's, which does not know it. */
static void test_bits_are_changed_by_the_bus(struct kunit *test)
{
	struct regmap_bus bus = recorder;
	struct regmap_config config = {
		.reg_bits = 8, .val_bits = 8, .reg_update_bits = refuse_update,
	};
	struct regmap *map = regmap_init(NULL, &bus, NULL, &config);
	bool change;

	KUNIT_ASSERT_FALSE(test, IS_ERR(map));
	KUNIT_EXPECT_EQ(test, regmap_update_bits(map, 3, 2, 2), 0);
	KUNIT_EXPECT_TRUE(test, WAS_SENT("\x03\x03\x03", 2));
	bus.reg_update_bits = count_update;
	regmap_exit(map);
	map = regmap_init(NULL, &bus, NULL, &config);
	KUNIT_ASSERT_FALSE(test, IS_ERR(map));
	KUNIT_EXPECT_EQ(test, regmap_update_bits_check(map, 3, 2, 2, &change), 0);
	KUNIT_EXPECT_EQ(test, nr_updates, 1);
	KUNIT_EXPECT_TRUE(test, change);
	regmap_exit(map);
}

/* What a device refused is not known. */
static void test_refused_values_are_not_cached(struct kunit *test)
{
	static const struct regmap_config config = {
		.reg_bits = 8, .val_bits = 8, .max_register = 31, .cache_type = REGCACHE_RBTREE,
	};
	struct regmap *map = regmap_init(NULL, &recorder, NULL, &config);
	unsigned int value;

	KUNIT_ASSERT_FALSE(test, IS_ERR(map));
	KUNIT_EXPECT_EQ(test, regmap_write(map, 3, 7), 0);
	KUNIT_EXPECT_TRUE(test, regcache_reg_cached(map, 3));
	sent.error = -ENXIO;
	KUNIT_EXPECT_EQ(test, regmap_write(map, 3, 9), -ENXIO);
	KUNIT_EXPECT_FALSE(test, regcache_reg_cached(map, 3));
	KUNIT_EXPECT_EQ(test, regmap_read(map, 3, &value), -ENXIO);
	KUNIT_EXPECT_EQ(test, regmap_bulk_write(map, 3, "ab", 2), -ENXIO);
	KUNIT_EXPECT_FALSE(test, regcache_reg_cached(map, 4));
	regmap_exit(map);
}

static void test_alike_registers_have_fields(struct kunit *test)
{
	static const struct regmap_config config = {
		.reg_bits = 8, .val_bits = 16, .reg_read = read_register,
		.reg_write = write_register,
	};
	static const struct reg_field from[] = { REG_FIELD(1, 0, 3), REG_FIELD_ID(4, 8, 11, 3, 2) };
	int writes = 0;
	struct regmap *map = regmap_init(NULL, NULL, &writes, &config);
	struct regmap_field *fields[2], *freed __free(regmap_field) = NULL;
	unsigned int value;

	KUNIT_ASSERT_FALSE(test, IS_ERR(map));
	freed = regmap_field_alloc(map, from[0]);
	KUNIT_ASSERT_FALSE(test, IS_ERR(freed));
	KUNIT_EXPECT_EQ(test, regmap_field_read(freed, &value), 0);
	KUNIT_ASSERT_EQ(test, regmap_field_bulk_alloc(map, fields, from, 2), 0);
	KUNIT_EXPECT_EQ(test, regmap_fields_write(fields[1], 2, 0x1f), 0);
	KUNIT_EXPECT_EQ(test, registers[8], 0xf00U);
	KUNIT_EXPECT_EQ(test, regmap_fields_read(fields[1], 2, &value), 0);
	KUNIT_EXPECT_EQ(test, value, 0xfU);
	KUNIT_EXPECT_EQ(test, regmap_fields_read(fields[1], 3, &value), -EINVAL);
	KUNIT_EXPECT_EQ(test, regmap_fields_write(fields[0], 0, 1), -EINVAL);	/* id_size is 0 */
	KUNIT_EXPECT_EQ(test, regmap_field_set_bits(fields[0], 6), 0);
	KUNIT_EXPECT_EQ(test, regmap_field_clear_bits(fields[0], 2), 0);
	KUNIT_EXPECT_EQ(test, registers[1], 4U);
	KUNIT_EXPECT_EQ(test, regmap_field_test_bits(fields[0], 4), 1);
	KUNIT_EXPECT_EQ(test, regmap_field_test_bits(fields[0], 5), 0);
	writes = 0;
	KUNIT_EXPECT_EQ(test, regmap_field_force_write(fields[0], 4), 0);
	KUNIT_EXPECT_EQ(test, writes, 1);
	regmap_field_bulk_free(fields[0]);
	regmap_exit(map);
}

/* An adapter without messages: what it was asked for last. */
static struct {
	int size;
	u8 command;
	union i2c_smbus_data data;
} asked;
static u32 offered;

static s32 smbus(struct i2c_adapter *adapter, u16 address, unsigned short flags, char way,
		 u8 command, int size, union i2c_smbus_data *data)
{
	(void)adapter;
	(void)address;
	(void)flags;
	asked.size = size;
	asked.command = command;
	if (way == I2C_SMBUS_WRITE && data)
		asked.data = *data;
	else if (data && size == I2C_SMBUS_WORD_DATA)
		data->word = 0x1234;
	else if (data)
		memset(data->block + (size == I2C_SMBUS_I2C_BLOCK_DATA), 0x56, 2);
	return 0;
}

static u32 offer(struct i2c_adapter *adapter)
{
	(void)adapter;
	return offered;
}

static void test_adapters_without_messages_are_asked_otherwise(struct kunit *test)
{
	static const struct i2c_algorithm algorithm = {
		.smbus_xfer = smbus, .functionality = offer,
	};
	static const struct {
		u32 offered;
		int reg_bits, val_bits, size;
		enum regmap_endian endian;
		unsigned int word, value;	/* what the adapter is given, and what is read */
	} cases[] = {
		{ I2C_FUNC_SMBUS_BYTE_DATA, 8, 8, I2C_SMBUS_BYTE_DATA, REGMAP_ENDIAN_DEFAULT,
		  0x21, 0x56 },
		{ I2C_FUNC_SMBUS_WORD_DATA, 8, 16, I2C_SMBUS_WORD_DATA, REGMAP_ENDIAN_LITTLE,
		  0x4321, 0x1234 },
		{ I2C_FUNC_SMBUS_WORD_DATA, 8, 16, I2C_SMBUS_WORD_DATA, REGMAP_ENDIAN_DEFAULT,
		  0x2143, 0x3412 },
		{ I2C_FUNC_SMBUS_I2C_BLOCK, 8, 8, I2C_SMBUS_I2C_BLOCK_DATA, REGMAP_ENDIAN_DEFAULT,
		  0x2101, 0x56 },
	};
	static struct i2c_adapter adapter = { .name = "smbus", .algo = &algorithm, .nr = 4 };
	struct i2c_client *client;

	KUNIT_ASSERT_EQ(test, i2c_add_numbered_adapter(&adapter), 0);
	client = i2c_new_client_device(&adapter, &(struct i2c_board_info){
		I2C_BOARD_INFO("map", 0x50) });
	KUNIT_ASSERT_FALSE(test, IS_ERR(client));
	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct regmap_config config = {
			.reg_bits = cases[i].reg_bits, .val_bits = cases[i].val_bits,
			.val_format_endian = cases[i].endian,
		};
		struct regmap *map;
		unsigned int value;

		offered = 0;
		KUNIT_EXPECT_EQ(test, PTR_ERR(regmap_init_i2c(client, &config)), -ENOTSUPP);
		offered = cases[i].offered;
		map = regmap_init_i2c(client, &config);
		KUNIT_ASSERT_FALSE(test, IS_ERR(map));
		memset(&asked, 0, sizeof(asked));
		value = cases[i].val_bits == 8 ? 0x21 : 0x4321;
		KUNIT_EXPECT_EQ(test, regmap_write(map, 7, value), 0);
		KUNIT_EXPECT_EQ_MSG(test, asked.size, cases[i].size, "case %u", i);
		KUNIT_EXPECT_EQ(test, asked.command, 7);
		KUNIT_EXPECT_EQ_MSG(test, asked.size == I2C_SMBUS_I2C_BLOCK_DATA ?
				    asked.data.block[0] + 0x100U * asked.data.block[1] :
				    asked.size == I2C_SMBUS_BYTE_DATA ? asked.data.byte :
				    asked.data.word, cases[i].word, "case %u", i);
		KUNIT_EXPECT_EQ(test, regmap_read(map, 7, &value), 0);
		KUNIT_EXPECT_EQ_MSG(test, value, cases[i].value, "case %u", i);
		regmap_exit(map);
	}
	i2c_unregister_device(client);
	i2c_del_adapter(&adapter);
}

static void test_cameras_are_asked_by_bytes(struct kunit *test)
{
	static const struct i2c_algorithm algorithm = {
		.smbus_xfer = smbus, .functionality = offer,
	};
	static struct i2c_adapter adapter = { .name = "sccb", .algo = &algorithm, .nr = 5 };
	struct regmap_config config = { .reg_bits = 8, .val_bits = 8 };
	struct i2c_client *client;
	struct regmap *map;
	unsigned int value;

	KUNIT_ASSERT_EQ(test, i2c_add_numbered_adapter(&adapter), 0);
	client = i2c_new_client_device(&adapter, &(struct i2c_board_info){
		I2C_BOARD_INFO("camera", 0x30) });
	KUNIT_ASSERT_FALSE(test, IS_ERR(client));
	offered = I2C_FUNC_SMBUS_BYTE;
	KUNIT_EXPECT_EQ(test, PTR_ERR(regmap_init_sccb(client, &config)), -ENOTSUPP);
	offered |= I2C_FUNC_SMBUS_WRITE_BYTE_DATA;
	map = devm_regmap_init_sccb(client, &config);
	KUNIT_ASSERT_FALSE(test, IS_ERR(map));
	KUNIT_EXPECT_EQ(test, regmap_write(map, 7, 0x21), 0);
	KUNIT_EXPECT_EQ(test, asked.size, I2C_SMBUS_BYTE_DATA);
	KUNIT_EXPECT_EQ(test, asked.command, 7);
	KUNIT_EXPECT_EQ(test, asked.data.byte, 0x21);
	KUNIT_EXPECT_EQ(test, regmap_read(map, 9, &value), 0);
	KUNIT_EXPECT_EQ(test, asked.size, I2C_SMBUS_BYTE);
	KUNIT_EXPECT_EQ(test, value, 0x56U);
	KUNIT_EXPECT_EQ(test, regmap_read(map, 0x100, &value), -EINVAL);
	config.reg_bits = 16;
	KUNIT_EXPECT_EQ(test, PTR_ERR(regmap_init_sccb(client, &config)), -ENOTSUPP);
	i2c_unregister_device(client);
	i2c_del_adapter(&adapter);
}

static int record_transfer(struct spi_controller *controller, struct spi_device *spi,
			   struct spi_transfer *transfer)
{
	(void)controller;
	(void)spi;
	if (transfer->tx_buf)
		record(NULL, transfer->tx_buf, transfer->len);
	if (transfer->rx_buf)
		memset(transfer->rx_buf, 0x42, transfer->len);
	return 0;
}

static void test_spi_devices_are_asked_by_a_bit(struct kunit *test)
{
	struct regmap_config config = { .reg_bits = 8, .val_bits = 8 };
	struct spi_controller *controller = spi_alloc_host(NULL, 0);
	struct spi_device *spi;

	KUNIT_ASSERT_NOT_NULL(test, controller);
	controller->transfer_one = record_transfer;
	KUNIT_ASSERT_EQ(test, spi_register_controller(controller), 0);
	spi = spi_new_device(controller, &(struct spi_board_info){ .modalias = "map" });
	KUNIT_ASSERT_NOT_NULL(test, spi);
	for (int zero = 0; zero < 2; zero++) {
		struct regmap *map;
		unsigned int value;

		config.zero_flag_mask = zero;
		map = regmap_init_spi(spi, &config);
		KUNIT_ASSERT_FALSE(test, IS_ERR(map));
		KUNIT_EXPECT_EQ(test, regmap_read(map, 3, &value), 0);
		KUNIT_EXPECT_EQ(test, value, 0x42U);
		KUNIT_EXPECT_EQ(test, sent.bytes[0], zero ? 3 : 0x83);
		memset(&sent, 0, sizeof(sent));
		KUNIT_EXPECT_EQ(test, regmap_bulk_write(map, 3, "ab", 2), 0);
		KUNIT_EXPECT_TRUE(test, WAS_SENT("\x03" "ab", 2));
		regmap_exit(map);
	}
	spi_unregister_device(spi);
	spi_unregister_controller(controller);
}

static unsigned int enabled;

static int count_enable(struct clk_hw *hw)
{
	(void)hw;
	enabled++;
	return 0;
}

static void test_memory_has_a_clock(struct kunit *test)
{
	static const struct clk_ops ops = { .enable = count_enable };
	static const struct clk_init_data init = { .name = "registers", .ops = &ops };
	static const struct regmap_config config = {
		.reg_bits = 32, .val_bits = 16, .reg_stride = 2,
	};
	static u16 memory[4] __aligned(4);
	struct clk_hw hw = { .init = &init };
	struct regmap *map = regmap_init_mmio(NULL, (void __iomem *)memory, &config);
	u16 queue[2] = { 1, 2 };
	unsigned int value;

	KUNIT_ASSERT_FALSE(test, IS_ERR(map));
	KUNIT_ASSERT_EQ(test, clk_hw_register(NULL, &hw), 0);
	KUNIT_EXPECT_EQ(test, regmap_write(map, 2, 0x102), 0);
	KUNIT_EXPECT_EQ(test, enabled, 0U);
	KUNIT_EXPECT_EQ(test, regmap_mmio_attach_clk(map, hw.clk), 0);
	KUNIT_EXPECT_EQ(test, regmap_read(map, 2, &value), 0);
	KUNIT_EXPECT_EQ(test, regmap_noinc_write(map, 4, queue, sizeof(queue)), 0);
	KUNIT_EXPECT_EQ(test, enabled, 2U);
	KUNIT_EXPECT_FALSE(test, clk_hw_is_enabled(&hw));
	KUNIT_EXPECT_TRUE(test, clk_hw_is_prepared(&hw));
	KUNIT_EXPECT_EQ(test, readw(&memory[2]), 2);
	KUNIT_EXPECT_EQ(test, regmap_noinc_read(map, 2, queue, sizeof(queue)), 0);
	KUNIT_EXPECT_EQ(test, queue[1], 0x102);
	KUNIT_EXPECT_EQ(test, regmap_read(map, 3, &value), -EINVAL);
	regmap_mmio_detach_clk(map);
	KUNIT_EXPECT_FALSE(test, clk_hw_is_prepared(&hw));
	regmap_exit(map);
	clk_hw_unregister(&hw);
}

static int nr_locked;

static void lock(void *counter)
{
	++*(int *)counter;
}

static void test_locks_are_the_callers(struct kunit *test)
{
	struct regmap_config config = {
		.reg_bits = 8, .val_bits = 8, .name = "own", .lock = lock, .unlock = lock,
		.lock_arg = &nr_locked,
	};
	struct platform_device *device = platform_device_register_simple("map", -1, NULL, 0);
	struct regmap *map = regmap_init(&device->dev, &recorder, NULL, &config);
	struct regmap *other;

	KUNIT_ASSERT_FALSE(test, IS_ERR(map));
	KUNIT_EXPECT_EQ(test, regmap_write(map, 1, 1), 0);
	KUNIT_EXPECT_EQ(test, nr_locked, 2);
	KUNIT_EXPECT_FALSE(test, regmap_might_sleep(map));
	config = (struct regmap_config){ .reg_bits = 8, .val_bits = 8 };
	other = regmap_init(NULL, &recorder, NULL, &config);
	KUNIT_ASSERT_FALSE(test, IS_ERR(other));
	KUNIT_EXPECT_TRUE(test, regmap_might_sleep(other));
	KUNIT_EXPECT_PTR_EQ(test, dev_get_regmap(&device->dev, NULL), map);
	KUNIT_EXPECT_EQ(test, regmap_attach_dev(&device->dev, other, &config), 0);
	KUNIT_EXPECT_PTR_EQ(test, dev_get_regmap(&device->dev, NULL), other);	/* the newest */
	KUNIT_EXPECT_NULL(test, dev_get_regmap(&device->dev, ""));
	KUNIT_EXPECT_PTR_EQ(test, dev_get_regmap(&device->dev, "own"), map);
	regmap_exit(other);
	regmap_exit(map);
	platform_device_unregister(device);
}

static struct kunit_case regmap_cases[] = {
	KUNIT_CASE(test_registers_are_read_and_changed), KUNIT_CASE(test_registers_have_an_order),
	KUNIT_CASE(test_numbers_and_values_share_bytes),
	KUNIT_CASE(test_what_was_written_is_known), KUNIT_CASE(test_numbers_are_padded_and_shifted),
	KUNIT_CASE(test_impossible_maps_are_refused),
	KUNIT_CASE(test_many_values_are_few_messages),
	KUNIT_CASE(test_values_are_moved_one_by_one), KUNIT_CASE(test_queues_take_many_values),
	KUNIT_CASE(test_sequences_end_at_pages_and_delays),
	KUNIT_CASE(test_sequences_stay_in_a_page), KUNIT_CASE(test_maps_may_be_incomplete),
	KUNIT_CASE(test_bits_are_changed_by_the_bus),
	KUNIT_CASE(test_refused_values_are_not_cached),
	KUNIT_CASE(test_alike_registers_have_fields),
	KUNIT_CASE(test_adapters_without_messages_are_asked_otherwise),
	KUNIT_CASE(test_cameras_are_asked_by_bytes),
	KUNIT_CASE(test_spi_devices_are_asked_by_a_bit), KUNIT_CASE(test_memory_has_a_clock),
	KUNIT_CASE(test_locks_are_the_callers), { }
};

static struct kunit_suite regmap_suite = {
	.name = "regmap", .exit = forget, .test_cases = regmap_cases,
};
kunit_test_suite(regmap_suite);
