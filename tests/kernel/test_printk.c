// SPDX-License-Identifier: MIT
/* Formats of the kernel, lines of the log, numbers from text. */
#include <kunit/test.h>

#include <linux/kernel.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/string_helpers.h>
#include <trace/events/printk.h>

static char text[400];

/* Formats that the compiler warns of, since it knows libc's rules. */
static int (*volatile snprintf_unchecked)(char *, size_t, const char *, ...) = snprintf;

#define EXPECT_TEXT(test, expected, ...) EXPECT_TEXT_OF(snprintf, test, expected, __VA_ARGS__)
#define EXPECT_ODD(test, expected, ...) \
	EXPECT_TEXT_OF(snprintf_unchecked, test, expected, __VA_ARGS__)
#define EXPECT_TEXT_OF(function, test, expected, ...)			\
	do {								\
		int length_ = function(text, sizeof(text), __VA_ARGS__); \
									\
		KUNIT_EXPECT_STREQ(test, text, expected);		\
		KUNIT_EXPECT_EQ(test, length_, (int)strlen(expected));	\
	} while (0)

static void test_plain_conversions(struct kunit *test)
{
	EXPECT_TEXT(test, "-5 005 ff 0xff 100%", "%d %03u %x %#x %d%%", -5, 5u, 255, 255, 100);
	EXPECT_TEXT(test, "18446744073709551615 -1", "%llu %ld", ~0ULL, -1L);
	EXPECT_TEXT(test, "  ab|ab  |a", "%4s|%-4s|%.1s", "ab", "ab", "ab");
	EXPECT_TEXT(test, "   7|7   ", "%*d|%-*d", 4, 7, 4, 7);
	EXPECT_TEXT(test, "c 12 3", "%c %zu %hu", 'c', (size_t)12, (unsigned short)3);
}

/* Formats for which libc's result is another one. */
static void test_conversions_of_the_kernel(struct kunit *test)
{
	EXPECT_ODD(test, "0x0 0x00000000 0 010 0X1F", "%#x %#010x %#o %#o %#X", 0, 0, 0, 8, 0x1f);
	EXPECT_ODD(test, "00005|005  |  005|0", "%05.3d|%-5.3d|%5.3d|%.0d",
		       5, 5, 5, 0);
	EXPECT_ODD(test, "+5| 5|-5|+05|-0005", "%+d|% d|%+d|%+03d|%05d", 5, 5, -5, 5, -5);
	EXPECT_ODD(test, "(null)|(nu|    (null)|(efault)",
		       "%s|%.3s|%10s|%s", (char *)NULL, (char *)NULL, (char *)NULL, (char *)16);
	EXPECT_ODD(test, "-1 255 65535 -1", "%hhd %hhu %hu %hd", 0xff, 0xffu, 0xffffu, 0xffff);
	EXPECT_ODD(test, "ab  |  ab|ab|", "%*s|%*.*s|%.*s|%.*s", -4, "ab", 4, 2, "abc", -1, "ab",
		    0, "ab");
	EXPECT_ODD(test, "-9223372036854775808 9223372036854775808", "%lld %Lu", LLONG_MIN,
		    1ULL << 63);
	EXPECT_ODD(test, "1777777777777777777777", "%llo", ~0ULL);
	EXPECT_ODD(test, "   c|c   ", "%4c|%-4c", 'c', 'c');
}

static void test_addresses(struct kunit *test)
{
	static const u8 ipv4[4] = { 192, 168, 0, 1 };
	static const u8 ipv6[16] = { 0x20, 1, 0xd, 0xb8, [14] = 0, [15] = 1 };
	static const u8 zeros[16], middle[16] = { 0, 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3 };
	static const u8 bytes[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };

	EXPECT_TEXT(test, "192.168.0.1 192.168.000.001 1.0.168.192", "%pI4 %pi4 %pI4l", ipv4, ipv4,
		    ipv4);
	EXPECT_TEXT(test, "2001:0db8:0000:0000:0000:0000:0000:0001", "%pI6", ipv6);
	EXPECT_TEXT(test, "20010db8000000000000000000000001", "%pi6", ipv6);
	EXPECT_TEXT(test, "2001:db8::1 :: 1:0:0:2::3", "%pI6c %pI6c %pI6c", ipv6, zeros, middle);
	EXPECT_TEXT(test, "00010203-0405-0607-0809-0a0b0c0d0e0f", "%pU", bytes);
	EXPECT_TEXT(test, "03020100-0504-0706-0809-0A0B0C0D0E0F", "%pUL", bytes);
	EXPECT_TEXT(test, "05:04:03:02:01:00 000102030405 00-01-02-03-04-05", "%pMR %pm %pMF",
		    bytes, bytes, bytes);
	EXPECT_TEXT(test, "(null) (efault) 0000000000000000", "%pI4 %pM %p", (void *)NULL,
		    (void *)8, (void *)NULL);
	EXPECT_TEXT(test, "-EPROBE_DEFER -1000 0000000000001234", "%pe %pe %pe",
		    ERR_PTR(-EPROBE_DEFER), ERR_PTR(-1000), (void *)0x1234);
	/* All letters behind %p belong to the format. */
	EXPECT_TEXT(test, "0000000000001234, x", "%pxyz, %c", (void *)0x1234, 'x');
}

static noinline void some_function(void)
{
	barrier();
}

static void test_pointer_conversions(struct kunit *test)
{
	phys_addr_t physical = 0x1234;
	gfp_t gfp = GFP_KERNEL | __GFP_ZERO, none = 0, reclaim = GFP_ATOMIC | __GFP_NOWARN;
	static const u8 bytes[6] = { 0, 0x1b, 0x2c, 0xff, 4, 5 };
	unsigned long map[1] = { 0x8e };
	unsigned long flags = BIT(PG_uptodate) | BIT(PG_reserved) | BIT(PG_locked);
	char expected[100];

	EXPECT_TEXT(test, "00000000deadbeef", "%px", (void *)0xdeadbeefUL);
	EXPECT_TEXT(test, "-ENOMEM", "%pe", ERR_PTR(-ENOMEM));
	EXPECT_TEXT(test, "GFP_KERNEL|__GFP_ZERO", "%pGg", &gfp);
	EXPECT_TEXT(test, "", "%pGg", &none);
	EXPECT_TEXT(test, "GFP_ATOMIC|__GFP_NOWARN", "%pGg", &reclaim);
	snprintf(expected, sizeof(expected), "%#lx(locked|uptodate|reserved|zone=%d)", flags,
		 ZONE_NORMAL);
	EXPECT_TEXT(test, expected, "%pGp", &flags);
	/* The names' bits are those of linux/page-flags.h. */
#define EXPECT_FLAG(name)							\
	do {									\
		flags = BIT(PG_##name);						\
		snprintf(expected, sizeof(expected), "%#lx(" #name "|zone=%d)", flags,	\
			 ZONE_NORMAL);						\
		EXPECT_TEXT(test, expected, "%pGp", &flags);			\
	} while (0)
	EXPECT_FLAG(locked); EXPECT_FLAG(referenced); EXPECT_FLAG(uptodate); EXPECT_FLAG(dirty);
	EXPECT_FLAG(lru); EXPECT_FLAG(active); EXPECT_FLAG(workingset);
	EXPECT_FLAG(owner_priv_1); EXPECT_FLAG(arch_1); EXPECT_FLAG(reserved);
	EXPECT_FLAG(private); EXPECT_FLAG(private_2); EXPECT_FLAG(writeback);
	EXPECT_FLAG(mappedtodisk); EXPECT_FLAG(reclaim); EXPECT_FLAG(swapbacked);
	EXPECT_FLAG(unevictable);
#undef EXPECT_FLAG
	EXPECT_ODD(test, "a\\n\\\\001\\0b\\e|x", "%*pE|%pE", 7, "a\n\\\001\0b\033", "xyz");
	EXPECT_TEXT(test, "0x0000000000001234", "%pap", &physical);
	EXPECT_TEXT(test, "00 1b 2c", "%*ph", 3, bytes);
	EXPECT_TEXT(test, "00-1b-2c", "%*phD", 3, bytes);
	EXPECT_TEXT(test, "00:1b:2c:ff:04:05", "%pM", bytes);
	EXPECT_TEXT(test, "1-3,7", "%*pbl", 16, map);
	EXPECT_TEXT(test, "008e", "%*pb", 16, map);
	EXPECT_TEXT(test, "some_function", "%ps", some_function);
	snprintf(text, sizeof(text), "%pS", (char *)some_function);
	KUNIT_EXPECT_EQ(test, strncmp(text, "some_function+0x0/0x", 20), 0);
	some_function();
}

static int nested(char *buffer, const char *format, ...) __printf(2, 3);

static int nested(char *buffer, const char *format, ...)
{
	struct va_format inner;
	va_list args;
	int length;

	va_start(args, format);
	inner.fmt = format;
	inner.va = &args;
	length = sprintf(buffer, "<%pV>", &inner);
	va_end(args);
	return length;
}

static void test_lengths(struct kunit *test)
{
	char small[4];
	char *dynamic = kasprintf(GFP_KERNEL, "%s-%d", "abc", 12);

	KUNIT_EXPECT_EQ(test, nested(text, "%d %s", 5, "x"), 5);
	KUNIT_EXPECT_STREQ(test, text, "<5 x>");
	KUNIT_EXPECT_EQ(test, snprintf(small, sizeof(small), "abc%d", 123), 6);
	KUNIT_EXPECT_STREQ(test, small, "abc");
	KUNIT_EXPECT_EQ(test, scnprintf(small, sizeof(small), "abcdef"), 3);
	KUNIT_EXPECT_EQ(test, scnprintf(small, 0, "abcdef"), 0);
	KUNIT_EXPECT_STREQ(test, dynamic, "abc-12");
	kfree(dynamic);
}

static char lines[8][200];
static int levels[8];
static unsigned int nr_lines;

static void sink(int level, u64 nanoseconds, const char *line, size_t length)
{
	(void)nanoseconds;
	if (nr_lines == ARRAY_SIZE(lines))
		return;
	levels[nr_lines] = level;
	memcpy(lines[nr_lines], line, length + 1);
	nr_lines++;
}

static int catch_log(struct kunit *test)
{
	(void)test;
	nr_lines = 0;
	usermm_printk_set_sink(sink);
	return 0;
}

static void release_log(struct kunit *test)
{
	(void)test;
	usermm_printk_set_sink(NULL);
}

static void test_log_lines(struct kunit *test)
{
	pr_err("one\ntwo\n");
	pr_info("begin");
	pr_cont(" and %d", 1);
	pr_cont(" end\n");
	pr_warn("open");
	pr_notice("next\n");
	for (int i = 0; i < 3; i++)
		pr_info_once("once\n");
	pr_debug("not compiled\n");
	KUNIT_ASSERT_EQ(test, nr_lines, 6);
	KUNIT_EXPECT_STREQ(test, lines[0], "one");
	KUNIT_EXPECT_EQ(test, levels[0], 3);
	KUNIT_EXPECT_STREQ(test, lines[1], "two");
	KUNIT_EXPECT_STREQ(test, lines[2], "begin and 1 end");
	KUNIT_EXPECT_EQ(test, levels[2], 6);
	KUNIT_EXPECT_STREQ(test, lines[3], "open");
	KUNIT_EXPECT_STREQ(test, lines[4], "next");
	KUNIT_EXPECT_STREQ(test, lines[5], "once");
}

static char heard[200];

static void hear(void *nr_heard, const char *piece, size_t length)
{
	scnprintf(heard, sizeof(heard), "%.*s", (int)length, piece);
	++*(unsigned int *)nr_heard;
}

/* Piece by piece, without the level and the end of the line. */
static void test_trace_of_the_log(struct kunit *test)
{
	unsigned int nr_heard = 0;

	KUNIT_ASSERT_EQ(test, register_trace_console(hear, &nr_heard), 0);
	KUNIT_EXPECT_EQ(test, register_trace_console(hear, &nr_heard), -EEXIST);
	KUNIT_EXPECT_EQ(test, unregister_trace_console(hear, NULL), -ENOENT);
	pr_err("begun: ");
	KUNIT_EXPECT_STREQ(test, heard, "begun: ");
	pr_cont("%d\n", 42);
	KUNIT_EXPECT_STREQ(test, heard, "42");
	KUNIT_EXPECT_EQ(test, nr_heard, 2);
	KUNIT_EXPECT_EQ(test, unregister_trace_console(hear, &nr_heard), 0);
	tracepoint_synchronize_unregister();
	pr_err("nobody listens\n");
	KUNIT_EXPECT_EQ(test, nr_heard, 2);
	KUNIT_EXPECT_EQ(test, unregister_trace_console(hear, &nr_heard), -ENOENT);
}

static void test_ratelimit(struct kunit *test)
{
	for (int i = 0; i < 50; i++)
		if (i < 5)
			continue;
		else
			pr_warn_ratelimited("again\n");
	/* The sink holds eight lines; the limit is ten. */
	KUNIT_EXPECT_EQ(test, nr_lines, ARRAY_SIZE(lines));
}

static void test_hex_dump(struct kunit *test)
{
	u8 bytes[20];

	for (unsigned int i = 0; i < sizeof(bytes); i++)
		bytes[i] = (u8)('A' + i);
	print_hex_dump(KERN_INFO, "x: ", DUMP_PREFIX_OFFSET, 16, 1, bytes, sizeof(bytes), true);
	KUNIT_ASSERT_EQ(test, nr_lines, 2);
	KUNIT_EXPECT_STREQ(test, lines[0],
			   "x: 00000000: 41 42 43 44 45 46 47 48 49 4a 4b 4c 4d 4e 4f 50"
			   "  ABCDEFGHIJKLMNOP");
	KUNIT_EXPECT_STREQ(test, lines[1],
			   "x: 00000010: 51 52 53 54                                    "
			   "  QRST");
}

static void test_warn_says_where(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, WARN(1, "answer %d\n", 42));
	KUNIT_EXPECT_FALSE(test, WARN_ON(0));
	KUNIT_ASSERT_GE(test, nr_lines, 3u);
	KUNIT_EXPECT_STREQ(test, lines[1], "answer 42");
	KUNIT_EXPECT_NOT_NULL(test, strstr(lines[2], "test_printk.c"));
}

static void test_numbers(struct kunit *test)
{
	unsigned int u;
	char *end;
	bool b;
	int i;
	u8 byte;

	KUNIT_EXPECT_EQ(test, kstrtoint("-12\n", 0, &i), 0);
	KUNIT_EXPECT_EQ(test, i, -12);
	KUNIT_EXPECT_EQ(test, kstrtouint("0x1f", 0, &u), 0);
	KUNIT_EXPECT_EQ(test, u, 31u);
	KUNIT_EXPECT_EQ(test, kstrtouint("-1", 0, &u), -EINVAL);
	KUNIT_EXPECT_EQ(test, kstrtouint("4294967296", 0, &u), -ERANGE);
	KUNIT_EXPECT_EQ(test, kstrtoint("12x", 0, &i), -EINVAL);
	KUNIT_EXPECT_EQ(test, kstrtoint("", 0, &i), -EINVAL);
	KUNIT_EXPECT_EQ(test, kstrtou8("256", 0, &byte), -ERANGE);
	KUNIT_EXPECT_EQ(test, kstrtouint("18446744073709551616x", 0, &u), -ERANGE);
	KUNIT_EXPECT_EQ(test, kstrtouint("0x", 0, &u), -EINVAL);
	KUNIT_EXPECT_EQ(test, kstrtobool("on", &b), 0);
	KUNIT_EXPECT_TRUE(test, b);
	KUNIT_EXPECT_EQ(test, memparse("16Mx", &end), 16ULL << 20);
	KUNIT_EXPECT_STREQ(test, end, "x");
	string_get_size(1024 * 1536, 1, STRING_UNITS_2, text, sizeof(text));
	KUNIT_EXPECT_STREQ(test, text, "1.50 MiB");
	string_get_size(U64_MAX, 4096, STRING_UNITS_10 | STRING_UNITS_NO_SPACE, text, sizeof(text));
	KUNIT_EXPECT_STREQ(test, text, "75.6ZB");
	string_get_size(1999, 1, STRING_UNITS_2 | STRING_UNITS_NO_BYTES, text, sizeof(text));
	KUNIT_EXPECT_STREQ(test, text, "1.95 Ki");
	string_get_size(0, 512, STRING_UNITS_10, text, sizeof(text));
	KUNIT_EXPECT_STREQ(test, text, "0 B");
}

static void test_decimals(struct kunit *test)
{
	u64 u = 7;
	s64 i;

	KUNIT_EXPECT_EQ(test, kstrtoudec64("+123.45\n", 3, &u), 0);
	KUNIT_EXPECT_EQ(test, u, 123450ULL);
	KUNIT_EXPECT_EQ(test, kstrtoudec64(".5", 0, &u), 0);
	KUNIT_EXPECT_EQ(test, u, 0ULL);
	KUNIT_EXPECT_EQ(test, kstrtodec64("-3.141592", 4, &i), 0);
	KUNIT_EXPECT_EQ(test, i, -31415LL);
	KUNIT_EXPECT_EQ(test, kstrtodec64("-9223372036854.775808", 6, &i), 0);
	KUNIT_EXPECT_EQ(test, i, LLONG_MIN);
	KUNIT_EXPECT_EQ(test, kstrtodec64("9223372036854.775808", 6, &i), -ERANGE);
	KUNIT_EXPECT_EQ(test, kstrtoudec64("18446744073709551615", 1, &u), -ERANGE);
	KUNIT_EXPECT_EQ(test, kstrtoudec64("1.2.3", 2, &u), -EINVAL);
	KUNIT_EXPECT_EQ(test, kstrtoudec64(".", 2, &u), -EINVAL);
	KUNIT_EXPECT_EQ(test, kstrtoudec64("-1", 2, &u), -EINVAL);
	KUNIT_EXPECT_EQ(test, kstrtoudec64("1 ", 2, &u), -EINVAL);
	KUNIT_EXPECT_EQ_MSG(test, u, 0ULL, "a failure leaves the result as it was");
}

static void test_escapes(struct kunit *test)
{
	char out[32], source[] = "\\n\\101\\x4g\\q\\\\\\400";

	KUNIT_EXPECT_EQ(test, string_unescape(source, out, 0, UNESCAPE_ANY), 9);
	KUNIT_EXPECT_STREQ(test, out, "\nA\004g\\q\\ 0");
	KUNIT_EXPECT_EQ(test, string_unescape(source, out, 4, UNESCAPE_SPACE), 2);
	KUNIT_EXPECT_STREQ(test, out, "\n\\");
	memset(out, 0, sizeof(out));
	KUNIT_EXPECT_EQ(test, string_escape_mem("a\t\0\x1b", 4, out, sizeof(out), ESCAPE_ANY, NULL),
			4 + 2 + 2 + 2);
	KUNIT_EXPECT_STREQ(test, out, "\\141\\t\\0\\e");
	memset(out, 0, sizeof(out));
	KUNIT_EXPECT_EQ(test, string_escape_mem("a\xe9z", 3, out, 3, ESCAPE_HEX | ESCAPE_NAP, NULL),
			6);
	KUNIT_EXPECT_STREQ_MSG(test, out, "a\\x", "no more than the room");
	memset(out, 0, sizeof(out));
	string_escape_mem("abc", 3, out, sizeof(out), ESCAPE_OCTAL, "b");
	KUNIT_EXPECT_STREQ(test, out, "a\\142c");
	memset(out, 0, sizeof(out));
	string_escape_mem("ab\n", 3, out, sizeof(out), ESCAPE_HEX | ESCAPE_NP | ESCAPE_APPEND, "b");
	KUNIT_EXPECT_STREQ(test, out, "a\\x62\\x0a");
}

static void test_classes_of_characters(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, isupper(0xc4) && islower(0xe4) && isalpha(0xdf) && isspace(0xa0));
	KUNIT_EXPECT_TRUE(test, ispunct(0xd7) && ispunct(0xf7) && ispunct(0xa1) && isprint(0xff));
	KUNIT_EXPECT_FALSE(test, isprint(0x80) || isgraph(0xa0) || isalnum(0xb2) || iscntrl(0x80));
	KUNIT_EXPECT_TRUE_MSG(test, isupper((char)0xc4), "a signed char");
	KUNIT_EXPECT_EQ(test, tolower(0xc4), 0xe4);
	KUNIT_EXPECT_EQ(test, toupper(0xe4), 0xc4);
	KUNIT_EXPECT_EQ(test, tolower(0xd7), 0xd7);
	KUNIT_EXPECT_EQ(test, toupper('a'), 'A');
}

static void test_strings(struct kunit *test)
{
	char small[4], spaces[] = "  a b \n";

	KUNIT_EXPECT_EQ(test, strscpy(small, "abcd", sizeof(small)), -E2BIG);
	KUNIT_EXPECT_STREQ(test, small, "abc");
	KUNIT_EXPECT_EQ(test, strscpy(small, "ab"), 2);
	KUNIT_EXPECT_EQ(test, strlcpy(small, "abcd", sizeof(small)), 4);
	KUNIT_EXPECT_STREQ(test, strim(spaces), "a b");
	KUNIT_EXPECT_NULL(test, memchr_inv("aaa", 'a', 3));
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(small, 'a', 3), (void *)&small[1]);
	KUNIT_EXPECT_TRUE(test, sysfs_streq("on", "on\n"));
	KUNIT_EXPECT_FALSE(test, sysfs_streq("on", "off\n"));
}

static struct kunit_case printk_cases[] = {
	KUNIT_CASE(test_plain_conversions),
	KUNIT_CASE(test_conversions_of_the_kernel),
	KUNIT_CASE(test_pointer_conversions),
	KUNIT_CASE(test_addresses),
	KUNIT_CASE(test_lengths),
	KUNIT_CASE(test_log_lines),
	KUNIT_CASE(test_trace_of_the_log),
	KUNIT_CASE(test_ratelimit),
	KUNIT_CASE(test_hex_dump),
	KUNIT_CASE(test_warn_says_where),
	KUNIT_CASE(test_numbers),
	KUNIT_CASE(test_decimals),
	KUNIT_CASE(test_escapes),
	KUNIT_CASE(test_classes_of_characters),
	KUNIT_CASE(test_strings),
	{ }
};

static struct kunit_suite printk_suite = {
	.name = "printk",
	.init = catch_log,
	.exit = release_log,
	.test_cases = printk_cases,
};
kunit_test_suite(printk_suite);
