/* SPDX-License-Identifier: MIT */
/* Formatting without stdio, compared with stdio's result for the same arguments. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/fmt.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/prng.h"

/* Formats both ways and compares texts and lengths. */
#define CHECK_FORMAT(...)						\
	do {								\
		char mine[256], theirs[256];				\
		size_t length = fmt_format(mine, sizeof(mine), __VA_ARGS__); \
									\
		snprintf(theirs, sizeof(theirs), __VA_ARGS__);		\
		KUNIT_EXPECT_STREQ(test, mine, theirs);			\
		KUNIT_EXPECT_EQ(test, length, strlen(theirs));		\
	} while (0)

static void test_fmt_conversions(struct kunit *test)
{
	CHECK_FORMAT("plain");
	CHECK_FORMAT("100%%");
	CHECK_FORMAT("%s and %s", "one", "two");
	CHECK_FORMAT("[%s]", "");
	CHECK_FORMAT("%c%c", 'a', 'b');
	CHECK_FORMAT("%d %d %d", 0, -1, 2147483647);
	CHECK_FORMAT("%d", -2147483647 - 1);
	CHECK_FORMAT("%ld", -9223372036854775807L - 1);
	CHECK_FORMAT("%u %u", 0u, 4294967295u);
	CHECK_FORMAT("%lu", 18446744073709551615UL);
	CHECK_FORMAT("%zu %zd", (size_t)12345678901UL, (ssize_t)-3);
	CHECK_FORMAT("%x %lx %zx", 0xdeadbeefu, 0x123456789abcdefUL, (size_t)0);
	CHECK_FORMAT("%#x %#lx", 1u, 0xffffUL);
	CHECK_FORMAT("%p", (void *)0x7fff12345678);
}

static void test_fmt_widths(struct kunit *test)
{
	CHECK_FORMAT("[%5d] [%-5d] [%05d]", 42, 42, 42);
	CHECK_FORMAT("[%5d] [%-5d] [%05d]", -42, -42, -42);
	CHECK_FORMAT("[%1d] [%2u] [%3x]", 12345, 12345u, 0x12345u);
	CHECK_FORMAT("[%10s] [%-10s] [%2s]", "right", "left", "longer");
	CHECK_FORMAT("[%3c] [%-3c]", 'x', 'y');
	CHECK_FORMAT("[%016lx] [%16lx] [%-16lx]", 0xabcUL, 0xabcUL, 0xabcUL);
	CHECK_FORMAT("[%20p]", (void *)0x1000);
	CHECK_FORMAT("%6lu %6lu %6u %4u %4d", 1UL, 22UL, 333u, 4444u, 55555);
	CHECK_FORMAT("%-17s|", "kmalloc-8");
	CHECK_FORMAT("[%40d] [%-40d]", 7, 7);
}

/* A null string must not crash the report that holds it. */
static void test_fmt_null_string(struct kunit *test)
{
	const char *volatile null = NULL;	/* hidden from the compiler */
	char text[32];

	fmt_format(text, sizeof(text), "<%s>", null);
	KUNIT_EXPECT_STREQ(test, text, "<(null)>");
}

/* As snprintf() does: the text is cut to fit, always ended, and its full length is returned. */
static void test_fmt_truncation(struct kunit *test)
{
	for (size_t size = 0; size < 20; size++) {
		char mine[24], theirs[24];

		memset(mine, '!', sizeof(mine));
		memset(theirs, '!', sizeof(theirs));
		KUNIT_EXPECT_EQ(test, fmt_format(mine, size, "%s=%d", "number", 12345), 12);
		snprintf(theirs, size, "%s=%d", "number", 12345);
		KUNIT_EXPECT_MEMEQ_MSG(test, mine, theirs, size, "size %zu", size);
		KUNIT_EXPECT_EQ_MSG(test, mine[size], '!', "wrote behind the end");
	}
}

static void test_fmt_random_numbers(struct kunit *test)
{
	struct prng prng = { 4 };

	for (unsigned int i = 0; i < 20000; i++) {
		unsigned long value = prng_u64(&prng) >> prng_below(&prng, 64);

		CHECK_FORMAT("%lu %ld %lx %u %d", value, (long)value, value, (unsigned int)value,
			     (int)value);
		CHECK_FORMAT("%12lu|%-12ld|%012lx", value, (long)value, value);
	}
}

/* Everything that is given to a writer reaches the file, in order. */
static void test_fmt_writer(struct kunit *test)
{
	char *expected = calloc(1, 60000), *got = calloc(1, 60000);
	size_t length = 0, done = 0;
	struct fmt_writer writer;
	int fds[2];
	ssize_t n;

	KUNIT_ASSERT_TRUE(test, expected && got);
	KUNIT_ASSERT_EQ(test, pipe(fds), 0);
	fmt_writer_open(&writer, fds[1]);
	for (unsigned int i = 0; i < 3000; i++) {
		fmt_print(&writer, "line %u of %s\n", i, "many");
		length += (size_t)snprintf(expected + length, 60000 - length, "line %u of %s\n",
					   i, "many");
	}
	fmt_writer_close(&writer);
	close(fds[1]);
	while ((n = read(fds[0], got + done, 60000 - done)) > 0)
		done += (size_t)n;
	close(fds[0]);
	KUNIT_EXPECT_EQ(test, done, length);
	KUNIT_EXPECT_MEMEQ(test, got, expected, length);
	free(expected);
	free(got);
}

static bool is_pending(int number)
{
	sigset_t set;

	return !sigpending(&set) && sigismember(&set, number);
}

/* Signals that are pending for the program stay pending; none is added. */
static void write_in_vain(struct kunit *test, void *arg)
{
	struct rlimit limit = { 0, 0 };
	int fds[2], file = memfd_create("file", MFD_CLOEXEC);
	sigset_t set;

	KUNIT_ASSERT_TRUE(test, !pipe(fds) && file >= 0 && !setrlimit(RLIMIT_FSIZE, &limit));
	close(fds[0]);
	errno = 12345;
	KUNIT_EXPECT_EQ(test, fmt_write(fds[1], "text", 4), -EPIPE);
	KUNIT_EXPECT_EQ(test, fmt_write(file, "text", 4), -EFBIG);
	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	sigprocmask(SIG_BLOCK, &set, NULL);
	KUNIT_EXPECT_EQ(test, fmt_write(fds[1], "text", 4), -EPIPE);
	KUNIT_EXPECT_FALSE(test, is_pending(SIGPIPE));
	raise(SIGPIPE);
	KUNIT_EXPECT_EQ(test, fmt_write(fds[1], "text", 4), -EPIPE);
	KUNIT_EXPECT_TRUE(test, is_pending(SIGPIPE));
	KUNIT_EXPECT_EQ(test, errno, 12345);
	(void)arg;
}

/* Output of the library's raises no signal: neither a default action nor a handler runs. */
static void test_fmt_write_raises_no_signal(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, write_in_vain, NULL);
}

/* One text that is longer than the buffer is cut, not lost. */
static void test_fmt_writer_long_text(struct kunit *test)
{
	static char text[5000], got[6000];
	struct fmt_writer writer;
	int fds[2];
	ssize_t n;

	memset(text, 'x', sizeof(text) - 1);
	KUNIT_ASSERT_EQ(test, pipe(fds), 0);
	fmt_writer_open(&writer, fds[1]);
	fmt_print(&writer, "before\n");
	fmt_print(&writer, "%s", text);
	fmt_print(&writer, "\nbehind\n");
	fmt_writer_close(&writer);
	close(fds[1]);
	n = read(fds[0], got, sizeof(got));
	close(fds[0]);
	KUNIT_ASSERT_GT(test, n, 1500);
	KUNIT_EXPECT_MEMEQ(test, got, "before\nxxx", 10);
	KUNIT_EXPECT_MEMEQ(test, got + n - 9, "x\nbehind\n", 9);
}

/* The first error stays, and nothing is written after the part that failed. */
static void test_fmt_writer_error(struct kunit *test)
{
	struct fmt_writer writer;
	char text[1024];
	int fds[2];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	KUNIT_ASSERT_EQ(test, pipe(fds), 0);
	errno = 12345;
	fmt_writer_open(&writer, -1);
	for (unsigned int i = 0; i < 4; i++)
		fmt_print(&writer, "%s", text);
	writer.fd = fds[1];
	for (unsigned int i = 0; i < 4; i++)
		fmt_print(&writer, "%s", text);
	KUNIT_EXPECT_EQ(test, fmt_writer_close(&writer), -EBADF);
	KUNIT_EXPECT_EQ(test, errno, 12345);
	close(fds[1]);
	KUNIT_EXPECT_EQ(test, read(fds[0], text, sizeof(text)), 0);
	close(fds[0]);
	fmt_writer_open(&writer, -1);
	fmt_print(&writer, "little");
	KUNIT_EXPECT_EQ(test, fmt_writer_close(&writer), -EBADF);
}

static void print_numbers(struct fmt_writer *writer)
{
	for (unsigned int i = 0; i < 1000; i++)
		fmt_print(writer, "%u\n", i);
}

/* In a pipe with O_DIRECT each write(2) is a packet of its own. */
static void test_fmt_writer_writes_once(struct kunit *test)
{
	static char memory[4096], text[4096];
	struct fmt_writer writer;
	int fds[2];

	KUNIT_ASSERT_EQ(test, pipe2(fds, O_DIRECT), 0);
	fmt_writer_open_in(&writer, fds[1], memory, sizeof(memory));
	print_numbers(&writer);
	KUNIT_EXPECT_EQ(test, fmt_writer_close(&writer), 0);
	KUNIT_EXPECT_EQ(test, read(fds[0], text, sizeof(text)), 10 + 2 * 90 + 3 * 900 + 1000);
	KUNIT_EXPECT_MEMEQ(test, text, "0\n1\n2\n", 6);
	/* With the writer's own small buffer there are more packets, and the same text. */
	KUNIT_EXPECT_EQ(test, fmt_print_to(fds[1], print_numbers), 0);
	KUNIT_EXPECT_LE(test, read(fds[0], memory, sizeof(memory)), 2048);
	KUNIT_EXPECT_MEMEQ(test, memory, text, 1000);
	KUNIT_EXPECT_EQ(test, fmt_print_to(-1, print_numbers), -EBADF);
	close(fds[0]);
	close(fds[1]);
}

struct pieces {
	unsigned int nr;
	size_t length;
	char text[40000];
};

static void keep_piece(void *arg, const char *text)
{
	struct pieces *pieces = arg;

	pieces->nr++;
	pieces->length += strlen(text);
	strncat(pieces->text, text, sizeof(pieces->text) - 1 - strlen(pieces->text));
}

/* A function gets the same text in pieces as a file does. */
static void test_fmt_writer_for_function(struct kunit *test)
{
	static struct pieces pieces;
	struct fmt_writer out;
	const char *at = pieces.text;
	char line[32];

	fmt_writer_open_for(&out, keep_piece, &pieces);
	for (unsigned int i = 0; i < 2000; i++)
		fmt_print(&out, "line %u\n", i);
	KUNIT_EXPECT_EQ(test, fmt_writer_close(&out), 0);
	KUNIT_EXPECT_GT(test, pieces.nr, 1);
	for (unsigned int i = 0; i < 2000; i++) {
		size_t length = fmt_format(line, sizeof(line), "line %u\n", i);

		KUNIT_ASSERT_MEMEQ(test, at, line, length);
		at += length;
	}
	KUNIT_EXPECT_EQ(test, pieces.length, (size_t)(at - pieces.text));
}

static struct kunit_case fmt_cases[] = {
	KUNIT_CASE(test_fmt_conversions),
	KUNIT_CASE(test_fmt_widths),
	KUNIT_CASE(test_fmt_null_string),
	KUNIT_CASE(test_fmt_truncation),
	KUNIT_CASE(test_fmt_random_numbers),
	KUNIT_CASE(test_fmt_writer),
	KUNIT_CASE(test_fmt_write_raises_no_signal),
	KUNIT_CASE(test_fmt_writer_long_text),
	KUNIT_CASE(test_fmt_writer_error),
	KUNIT_CASE(test_fmt_writer_writes_once),
	KUNIT_CASE(test_fmt_writer_for_function),
	{ 0 },
};

static struct kunit_suite fmt_suite = { .name = "fmt", .test_cases = fmt_cases };

kunit_test_suite(fmt_suite);
