/* SPDX-License-Identifier: MIT */
/*
 * Systems where madvise(MADV_DONTNEED) reports success and does nothing, as old user-mode emulators
 * and some filters do: calloc() is zero all the same, and hardened=1 finds no mistake where none
 * is. Here a filter of seccomp(2) is such a system: from the start of a program, or later.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "child.h"

/* The low half of the third argument. */
#define ADVICE_OFFSET (offsetof(struct seccomp_data, args[2]) +			\
		       (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0))

static struct sock_filter instructions[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 3),
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ADVICE_OFFSET),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MADV_DONTNEED, 0, 1),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO),	/* errno 0: success */
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

static const struct sock_fprog filter = { ARRAY_SIZE(instructions), instructions };

/* False where the system has no such filters, as in an emulator. */
static bool begin_filter(void)
{
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	REQUIRE(page != MAP_FAILED);
	*page = 1;
	return !prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0UL, 0UL) &&
	       !madvise(page, 4096, MADV_DONTNEED) && *(char *)opaque(page) == 1;
}

static const size_t sizes[] = {
	100, 8000, 30000, 100000, 1000000, 3000000, 5000000,
};

static bool is_zero(const char *block, size_t bytes)
{
	return !*block && !memcmp(block, block + 1, bytes - 1);
}

#define NR_BLOCKS 4

static void use_blocks(size_t bytes)
{
	char *blocks[NR_BLOCKS];

	for (unsigned int i = 0; i < NR_BLOCKS; i++) {
		blocks[i] = opaque(malloc(bytes));
		REQUIRE(blocks[i]);
		memset(blocks[i], 0xff, bytes);
	}
	for (unsigned int i = 0; i < NR_BLOCKS; i++)
		free(blocks[i]);
}

static void check_zero(size_t bytes)
{
	char *blocks[NR_BLOCKS];

	for (unsigned int i = 0; i < NR_BLOCKS; i++) {
		blocks[i] = opaque(calloc(1, bytes));
		REQUIRE(blocks[i]);
		CHECK(is_zero(blocks[i], bytes), "; %zu bytes", bytes);
		memset(blocks[i], 0xff, bytes);
	}
	for (unsigned int i = 0; i < NR_BLOCKS; i++)
		free(blocks[i]);
}

static int check_all(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		use_blocks(sizes[i]);
		malloc_trim(0);
		check_zero(sizes[i]);
		malloc_trim(0);
		check_zero(sizes[i]);
	}
	return harness_status();
}

/* From the start: the filter stays with the program that is executed. */
static int begin_and_check(void)
{
	if (!begin_filter()) {
		dprintf(STDOUT_FILENO, "# no such filter here\n");
		return 0;
	}
	execl("/proc/self/exe", "again", "--check", (char *)NULL);
	return 127;
}

static int check_begin_and_check(void)
{
	check_all();
	if (!begin_filter())
		dprintf(STDOUT_FILENO, "# no such filter here\n");
	return check_all();
}

static const char *const options[] = { "hardened=0", "hardened=1", "init_on_free=1" };

static void from_the_start(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		child_expect_quiet("--begin", options[i]);
}

static void later(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		child_expect_quiet("--later", options[i]);
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "from_the_start", from_the_start, true },
		{ "later", later, true },
	};

	if (argc > 1 && !strcmp(argv[1], "--begin"))
		return begin_and_check();
	if (argc > 1 && !strcmp(argv[1], "--later"))
		return check_begin_and_check();
	if (argc > 1 && !strcmp(argv[1], "--check"))
		return check_all();
	return harness_main(argc, argv, cases, ARRAY_SIZE(cases));
}
