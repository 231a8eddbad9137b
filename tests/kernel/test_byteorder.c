// SPDX-License-Identifier: MIT
/* The order of bytes, where headers of libc come before and behind the kernel's. */
#include <pthread.h>
#include <endian.h>

#include <asm/checksum.h>
#include <asm/io.h>
#include <kunit/test.h>
#include <linux/bitops.h>
#include <linux/netdevice.h>
#include <linux/unaligned.h>

#include <netinet/ip.h>

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define LITTLE true
#else
#define LITTLE false
#endif

static u8 first_byte(const void *word)
{
	return *(const u8 *)word;
}

static void test_byteorder_names(struct kunit *test)
{
#ifdef __LITTLE_ENDIAN
	KUNIT_EXPECT_TRUE(test, LITTLE);
#endif
#ifdef __BIG_ENDIAN
	KUNIT_EXPECT_FALSE(test, LITTLE);
#endif
#ifdef __LITTLE_ENDIAN_BITFIELD
	KUNIT_EXPECT_TRUE(test, LITTLE);
#endif
#ifdef __BIG_ENDIAN_BITFIELD
	KUNIT_EXPECT_FALSE(test, LITTLE);
#endif
#if defined __LITTLE_ENDIAN == defined __BIG_ENDIAN || \
	defined __LITTLE_ENDIAN_BITFIELD == defined __BIG_ENDIAN_BITFIELD
	KUNIT_FAIL(test, "both orders have a name, or none");
#endif
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wundef"
#if __BYTE_ORDER == __LITTLE_ENDIAN
	KUNIT_EXPECT_TRUE(test, LITTLE);
#elif __BYTE_ORDER == __BIG_ENDIAN
	KUNIT_EXPECT_FALSE(test, LITTLE);
#else
	KUNIT_FAIL(test, "libc's comparison finds no order");
#endif
#pragma GCC diagnostic pop
}

static void test_byteorder_libc_layout(struct kunit *test)
{
	struct iphdr header = { .ihl = 5, .version = 4 };
	struct ip same = { .ip_hl = 5, .ip_v = 4 };

	KUNIT_EXPECT_EQ(test, first_byte(&header), 0x45);
	KUNIT_EXPECT_EQ(test, first_byte(&same), 0x45);
}

static void test_byteorder_words(struct kunit *test)
{
	static const u8 bytes[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	__be16 b16 = cpu_to_be16(0x0102);
	__be32 b32 = cpu_to_be32(0x01020304);
	__be64 b64 = cpu_to_be64(0x0102030405060708);
	__le16 l16 = cpu_to_le16(0x0201);
	__le32 l32 = cpu_to_le32(0x04030201);
	__le64 l64 = cpu_to_le64(0x0807060504030201);

	KUNIT_EXPECT_MEMEQ(test, &b16, bytes, 2);
	KUNIT_EXPECT_MEMEQ(test, &b32, bytes, 4);
	KUNIT_EXPECT_MEMEQ(test, &b64, bytes, 8);
	KUNIT_EXPECT_MEMEQ(test, &l16, bytes, 2);
	KUNIT_EXPECT_MEMEQ(test, &l32, bytes, 4);
	KUNIT_EXPECT_MEMEQ(test, &l64, bytes, 8);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(b16), 0x0102);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(b32), 0x01020304);
	KUNIT_EXPECT_EQ(test, be64_to_cpu(b64), 0x0102030405060708);
	KUNIT_EXPECT_EQ(test, le16_to_cpu(l16), 0x0201);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(l32), 0x04030201);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(l64), 0x0807060504030201);
	KUNIT_EXPECT_EQ(test, ntohs(htons(0x0102)), 0x0102);
	KUNIT_EXPECT_EQ(test, ntohl(htonl(0x01020304)), 0x01020304);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(bytes + 1), 0x02030405);
	KUNIT_EXPECT_EQ(test, get_unaligned_le32(bytes + 1), 0x05040302);
	/* The argument may be wider than the result. */
	KUNIT_EXPECT_EQ(test, be16_to_cpu(cpu_to_be16(0xabcd0102)), 0x0102);
}

static void test_byteorder_in_place(struct kunit *test)
{
	static const u8 bytes[6] = { 1, 2, 2, 1, 4, 3 };
	struct {
		u8 byte;
		__be16 word;
	} __packed odd = { 0, cpu_to_be16(0x0102) };
	u16 words[3] = { 0x0201, 0x0102, 0x0304 }, *next = words;

	cpu_to_le16s(next++);
	KUNIT_EXPECT_PTR_EQ(test, next, words + 1);
	cpu_to_le16s(next++);
	cpu_to_le16s(next++);
	KUNIT_EXPECT_MEMEQ(test, words, bytes, sizeof(words));
	be16_to_cpus(&odd.word);
	KUNIT_EXPECT_EQ(test, (u16)odd.word, 0x0102);
}

static void test_byteorder_sums(struct kunit *test)
{
	static const u8 le_bytes[] = { 0, 3 }, be_bytes[] = { 3, 0 };
	__le16 le = cpu_to_le16(0x02ff);
	__be16 be = cpu_to_be16(0x02ff);
	__be32 wide = cpu_to_be32(0xffffffff);
	__le64 wider = cpu_to_le64(0xffffffffULL);
	u16 words[2] = { 0x0102, 0x0304 };
	u32 word = 0x01020304;

	le16_add_cpu(&le, 1);
	be16_add_cpu(&be, 1);
	be32_add_cpu(&wide, 2);
	le64_add_cpu(&wider, 2);
	KUNIT_EXPECT_MEMEQ(test, &le, le_bytes, 2);
	KUNIT_EXPECT_MEMEQ(test, &be, be_bytes, 2);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(wide), 1U);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(wider), 0x100000001ULL);
	swab16_array(words, 2);
	KUNIT_EXPECT_EQ(test, words[1], 0x0403);
	swab32s(&word);
	KUNIT_EXPECT_EQ(test, word, 0x04030201U);
	KUNIT_EXPECT_EQ(test, swab16(0x0102), 0x0201);
	KUNIT_EXPECT_EQ(test, swab64(1), 1ULL << 56);
}

/* Bit 0 is the lowest of the first byte: bits 3, 12, 71 and 127 of 128. */
static void test_byteorder_bitmaps(struct kunit *test)
{
	static const u8 bytes[16] = { [0] = 0x08, [1] = 0x10, [8] = 0x80, [15] = 0x80 };
	static const unsigned int bits[] = { 3, 12, 71, 127 };
	unsigned long map[2] = { 0 }, at = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(bits); i++, at++) {
		int nr = (int)bits[i];

		KUNIT_EXPECT_FALSE(test, test_bit_le(nr, map));
		if (i % 2) {
			set_bit_le(nr, map);
			KUNIT_EXPECT_TRUE(test, test_and_set_bit_le(nr, map));
		} else {
			__set_bit_le(nr, map);
			KUNIT_EXPECT_TRUE(test, __test_and_set_bit_le(nr, map));
		}
		KUNIT_EXPECT_TRUE(test, test_bit_le(nr, map));
		at = find_next_bit_le(map, 128, at);
		KUNIT_EXPECT_EQ(test, at, bits[i]);
		KUNIT_EXPECT_EQ(test, find_next_bit_le(map, bits[i], at), bits[i]);
		KUNIT_EXPECT_EQ(test, find_next_zero_bit_le(map, 128, at), bits[i] + 1UL);
	}
	KUNIT_EXPECT_MEMEQ(test, map, bytes, sizeof(map));
	KUNIT_EXPECT_EQ(test, find_next_bit_le(map, 127, 72), 127UL);
	KUNIT_EXPECT_EQ(test, find_next_bit_le(map, 100, 72), 100UL);
	KUNIT_EXPECT_EQ(test, find_next_bit_le(map, 64, 90), 64UL);
	KUNIT_EXPECT_EQ(test, find_first_zero_bit_le(map, 128), 0UL);
	KUNIT_EXPECT_TRUE(test, test_and_clear_bit_le(3, map));
	KUNIT_EXPECT_TRUE(test, __test_and_clear_bit_le(12, map));
	clear_bit_le(71, map);
	__clear_bit_le(127, map);
	KUNIT_EXPECT_EQ(test, map[0] | map[1], 0UL);
	memset(map, 0xff, sizeof(map));
	clear_bit_le(70, map);
	KUNIT_EXPECT_EQ(test, find_first_zero_bit_le(map, 128), 70UL);
	KUNIT_EXPECT_EQ(test, find_next_zero_bit_le(map, 128, 71), 128UL);
}

/* Registers are little-endian, whatever the CPU is. */
static void test_byteorder_registers(struct kunit *test)
{
	u64 memory = 0;
	void __iomem *registers = (void __force __iomem *)&memory;
	char bytes[5] = "_";

	writel(0x04030201, registers);
	KUNIT_EXPECT_EQ(test, first_byte(&memory), 1);
	KUNIT_EXPECT_EQ(test, readb(registers), 1);
	KUNIT_EXPECT_EQ(test, readw(registers), 0x0201);
	KUNIT_EXPECT_EQ(test, readl(registers), 0x04030201);
	KUNIT_EXPECT_EQ(test, readq(registers), 0x04030201);
	KUNIT_EXPECT_EQ(test, ioread32be(registers), 0x01020304);
	iowrite32be(0x04030201, registers);
	KUNIT_EXPECT_EQ(test, first_byte(&memory), 4);
	iowrite16be(0x0807, registers);
	KUNIT_EXPECT_EQ(test, ioread16be(registers), 0x0807);
	KUNIT_EXPECT_EQ(test, first_byte(&memory), 8);
	writeq(0x0102030405060708, registers);
	KUNIT_EXPECT_EQ(test, first_byte(&memory), 8);
	iowrite64be(0x0102030405060708, registers);
	KUNIT_EXPECT_EQ(test, first_byte(&memory), 1);
	KUNIT_EXPECT_EQ(test, ioread64be(registers), 0x0102030405060708);
	writesw(registers, "abcd", 2);
	KUNIT_EXPECT_MEMEQ(test, &memory, "cd", 2);
	ioread16_rep(registers, bytes + 1, 2);
	KUNIT_EXPECT_MEMEQ(test, bytes, "_cdcd", 5);
	__raw_writel(7, registers);
	KUNIT_EXPECT_EQ(test, __raw_readl(registers), 7);
	KUNIT_EXPECT_EQ(test, readl(registers), LITTLE ? 7 : 7 << 24);
}

/* A packet's sum has the same bytes on every machine: RFC 1071's example, and an odd byte. */
static void test_byteorder_checksums(struct kunit *test)
{
	static const u8 bytes[] = { 0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7, 0x12 };
	static const u8 even[] = { 0x22, 0x0d }, odd[] = { 0x10, 0x0d };
	__sum16 sum = csum_fold(csum_partial(bytes, 8, 0));

	KUNIT_EXPECT_MEMEQ(test, &sum, even, 2);
	sum = csum_fold(csum_partial(bytes, 9, 0));
	KUNIT_EXPECT_MEMEQ(test, &sum, odd, 2);
	/* 10.0.0.1 to 10.0.0.2, 8 bytes of UDP, no data: the words of the pseudo header alone. */
	sum = csum_tcpudp_magic(cpu_to_be32(0x0a000001), cpu_to_be32(0x0a000002), 8, 17, 0);
	KUNIT_EXPECT_EQ(test, be16_to_cpu((__force __be16)sum),
			(u16)~(0x0a00 + 1 + 0x0a00 + 2 + 8 + 17));
}

static struct kunit_case byteorder_cases[] = {
	KUNIT_CASE(test_byteorder_names),
	KUNIT_CASE(test_byteorder_libc_layout),
	KUNIT_CASE(test_byteorder_words),
	KUNIT_CASE(test_byteorder_in_place),
	KUNIT_CASE(test_byteorder_sums),
	KUNIT_CASE(test_byteorder_bitmaps),
	KUNIT_CASE(test_byteorder_registers),
	KUNIT_CASE(test_byteorder_checksums),
	{}
};

static struct kunit_suite byteorder_suite = {
	.name = "byteorder",
	.test_cases = byteorder_cases,
};
kunit_test_suite(byteorder_suite);
