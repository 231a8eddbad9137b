/* SPDX-License-Identifier: MIT */
/* After a program has locked itself down, the library opens no file and starts no thread for it. */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "child.h"
#include "hammer.h"
#include "tasks.h"

#define MADV_POPULATE 23	/* MADV_POPULATE_WRITE, which old headers lack */

/*
 * A filter that forbids: files and locks on them, threads and signals to them, handlers,
 * MADV_POPULATE_WRITE.
 */
static bool forbid_files_and_threads(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 9, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fcntl, 8, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigaction, 7, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_tgkill, 6, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 5, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 4, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 2),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MADV_POPULATE, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = { ARRAY_SIZE(code), code };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

static int stay_after_vfork(void *unused)
{
	(void)unused;
	sleep_us(500000);
	_exit(0);
}

static void *leave_to_child(void *unused)
{
	static char stack[64 * KIB] __attribute__((__aligned__(16)));
	int pid = clone(stay_after_vfork, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD,
			NULL);

	CHECK(pid > 0 && child_exited(child_wait(pid), 0));
	return unused;
}

static void come_to_a_peak(void)
{
	static void *blocks[1200];

	for (unsigned int i = 0; i < ARRAY_SIZE(blocks); i++) {
		blocks[i] = malloc(256 * KIB);
		REQUIRE(blocks[i]);
		memset(blocks[i], 1, 256 * KIB);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(blocks); i++)
		free(blocks[i]);
}

/*
 * Growing blocks and a large peak need none of these calls, also beside a child that shares memory.
 */
static void live_without_files(void *beside_child)
{
	pthread_t thread;
	void *block;

	free(malloc(100));
	if (beside_child) {
		REQUIRE(!pthread_create(&thread, NULL, leave_to_child, NULL));
		sleep_us(100000);
	}
	REQUIRE(forbid_files_and_threads());
	block = malloc(1000);
	for (size_t size = 1000; size < 64 * MIB; size *= 2) {
		block = realloc(block, size);
		REQUIRE(block);
	}
	free(block);
	if (beside_child)
		REQUIRE(!pthread_join(thread, NULL));
	come_to_a_peak();
}

/* There was a background thread until now: nothing signals it any more, nor does exit(). */
static void shut_off_and_end(void *unused)
{
	(void)unused;
	come_to_a_peak();
	CHECK(nr_threads() == 2);
	REQUIRE(forbid_files_and_threads());
	exit(harness_status());
}

static void expect_success(void (*fn)(void *arg), void *beside_child)
{
	struct child_result result;

	child_run(&result, fn, beside_child);
	CHECK(child_exited(result.status, 0) && !*result.err, "; %s: wait status %#x %s",
	      beside_child ? "beside a child" : "alone", result.status, result.err);
}

static void no_file_is_opened(void)
{
	expect_success(live_without_files, NULL);
	expect_success(live_without_files, "beside a child");
}

/* So much that it would be populated: a share of it, with many CPUs too. */
static void grow_shut_off(void *unused)
{
	(void)unused;
	free(malloc(100));
	REQUIRE(forbid_files_and_threads());
	for (size_t bytes = 0; bytes < 128 * MIB; bytes += KIB)
		REQUIRE(malloc(KIB));
}

static void nothing_is_populated(void)
{
	expect_success(grow_shut_off, NULL);
}

/*
 * Filters are often made by watching the calls of a program with libc's malloc() and one thread.
 * This one permits only these calls, and those of this program itself: read(2), write(2), pread(2),
 * and its end.
 */
static bool permit_few_calls(bool is_hardened)
{
	const unsigned int one_more = is_hardened ? SYS_mprotect : SYS_mmap;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 10, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_munmap, 9, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mremap, 8, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_brk, 7, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_read, 6, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pread64, 5, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 4, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, one_more, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { ARRAY_SIZE(code), code };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

/* /proc/self/statm is open, since opening it is not permitted. */
static size_t resident_in(int statm)
{
	unsigned long all, resident = 0;
	char text[100] = "";

	REQUIRE(pread(statm, text, sizeof(text) - 1, 0) > 0);
	REQUIRE(sscanf(text, "%lu %lu", &all, &resident) == 2);
	return resident * 4096;
}

static void grow_by_realloc(void)
{
	char *block = malloc(1000);

	for (size_t size = 1000; size < 64 * MIB; size *= 2) {
		block = realloc(block, size);
		REQUIRE(block);
		block[size - 1] = 1;
	}
	free(block);
}

/* Memory that went back is zero when it is used again. */
static void take_zeroed(void)
{
	static char *blocks[200];

	for (unsigned int i = 0; i < ARRAY_SIZE(blocks); i++) {
		blocks[i] = calloc(1, 100 * KIB);
		REQUIRE(blocks[i]);
		for (size_t byte = 0; byte < 100 * KIB; byte += 8)
			REQUIRE(!*(long *)(blocks[i] + byte));
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(blocks); i++)
		free(blocks[i]);
}

/* The first malloc() of all comes after the filter. */
static int live_with_few_calls(bool is_hardened)
{
	int statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	struct prng prng = { 1 };

	REQUIRE(permit_few_calls(is_hardened));
	mixed_work(&prng, 20000);
	come_to_a_peak();
	grow_by_realloc();
	take_zeroed();
	malloc_trim(0);
	CHECK(resident_in(statm) < 32 * MIB, "; %zu MiB", resident_in(statm) / MIB);
	return harness_status();
}

/* A process of its own, whose thread has written to no stream yet: stdio asks for more. */
static void libc_s_calls_are_enough(void)
{
	child_expect_quiet("--few-calls", NULL);
	child_expect_quiet("--few-calls", "rseq=off");
	child_expect_quiet("--few-calls-hardened", "hardened=1");
}

static void nobody_asks_for_the_thread(void)
{
	expect_success(shut_off_and_end, NULL);
}

static int allocate_shut_off(void)
{
	static void *volatile kept;

	free(malloc(100));
	REQUIRE(forbid_files_and_threads());
	for (size_t size = 1; size < 4 * KIB; size++)
		free(malloc(size));
	kept = malloc(100);
	(void)kept;
	return harness_status();
}

/*
 * With kfence_sample= the library checks now and then that its handler is still in front of the
 * program's. After the lockdown it must not.
 */
static void nobody_asks_for_the_handler(void)
{
	child_expect_quiet("--shut-off", "kfence_sample=1");
}

/* The process's statistics at its end are complete, but go to stderr, not to a file. */
static void expect_at_end(const char *options, const char *begin, const char *end)
{
	struct child_again again = { "--shut-off", NULL, options, 0 };
	struct child_result result;
	size_t length;

	child_run(&result, child_exec_again, &again);
	length = strlen(result.err);
	CHECK(child_exited(result.status, 0) && !strncmp(result.err, begin, strlen(begin)) &&
	      length > strlen(end) && !strcmp(result.err + length - strlen(end), end),
	      "; %s: wait status %#x %s", options, result.status, result.err);
}

static int free_twice_shut_off(void)
{
	void *block = malloc(100);

	REQUIRE(forbid_files_and_threads());
	free(block);
	free(block);
	return 0;
}

/*
 * A report says who called, by the files that were there before.
 * The filter decides how abort() ends.
 */
static void expect_name(const char *mode, const char *options)
{
	struct child_again again = { mode, NULL, options, 0 };
	struct child_result result;

	child_run(&result, child_exec_again, &again);
	CHECK(strstr(result.err, "/test_sandbox+0x"), "; %s: wait status %#x %s", options,
	      result.status, result.err);
}

static void reports_name_files_of_before(void)
{
	expect_name("--shut-off", "stats=1:page_owner=1");
	expect_name("--shut-off", "stats=2:slab_debug=U");
	expect_name("--free-twice", "stats=0");
	expect_name("--free-twice", "slab_debug=FU");
	expect_name("--free-twice", "hardened=1");
	expect_name("--free-twice", "kfence_sample=1");
}

static void no_report_opens_a_file(void)
{
	expect_at_end("stats=1:stats_format=json", "{\"process\":{\"pid\":", "]}\n");
	expect_at_end("stats=1", "usermm: ", "\n");
	expect_at_end("stats=1:stats_file=/tmp/usermm_sandbox",
		      "usermm: stats_file=/tmp/usermm_sandbox: ", " error 1\n");
	expect_at_end("profile=1K:profile_file=/tmp/usermm_sandbox",
		      "usermm: profile_file=/tmp/usermm_sandbox: ", " error 1\n");
}

/* --- The strictest one -------------------------------------------------------------------- */

/*
 * The process may only read, write and end: malloc() and free() use the memory at hand, without a
 * system call.
 */
static void free_when_strict(void *size_of_blocks)
{
	static char *blocks[60000];
	size_t size = (size_t)size_of_blocks, nr = 6 * MIB / size;

	REQUIRE(nr <= ARRAY_SIZE(blocks));
	free(malloc(1));
	for (size_t i = 0; i < nr; i++) {
		blocks[i] = malloc(size);
		REQUIRE(blocks[i]);
		memset(blocks[i], 1, size);
	}
	REQUIRE(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT));
	for (unsigned int turns = 0; turns < 3; turns++) {
		for (size_t i = 0; i < nr; i++)
			free(blocks[i]);
		for (size_t i = 0; i < nr; i++)
			blocks[i] = malloc(size);
	}
	syscall(SYS_exit, 0);
}

static void the_strictest_one_is_no_trap(void)
{
	static const size_t sizes[] = { 200, 3000, 40000 };
	struct child_result result;

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		child_run(&result, free_when_strict, (void *)sizes[i]);
		CHECK(child_exited(result.status, 0) && !*result.err,
		      "; %zu bytes: wait status %#x", sizes[i], result.status);
	}
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "no_file_is_opened", no_file_is_opened, true },
		{ "nothing_is_populated", nothing_is_populated, true },
		{ "libc_s_calls_are_enough", libc_s_calls_are_enough, true },
		{ "nobody_asks_for_the_thread", nobody_asks_for_the_thread, true },
		{ "nobody_asks_for_the_handler", nobody_asks_for_the_handler, true },
		{ "no_report_opens_a_file", no_report_opens_a_file, true },
		{ "reports_name_files_of_before", reports_name_files_of_before, true },
		{ "the_strictest_one_is_no_trap", the_strictest_one_is_no_trap, true },
	};

	if (argc > 1 && !strcmp(argv[1], "--few-calls"))
		return live_with_few_calls(false);
	if (argc > 1 && !strcmp(argv[1], "--few-calls-hardened"))
		return live_with_few_calls(true);
	if (argc > 1 && !strcmp(argv[1], "--shut-off"))
		return allocate_shut_off();
	if (argc > 1 && !strcmp(argv[1], "--free-twice"))
		return free_twice_shut_off();

	return harness_main(argc, argv, cases, ARRAY_SIZE(cases));
}
