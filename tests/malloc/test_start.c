/* SPDX-License-Identifier: MIT */
/*
 * The cost of a process's first malloc(), in figures that do not depend on the machine's speed:
 * page faults and system calls. Short processes pay little else. A fresh process of this program is
 * watched by ptrace(2), between two calls of getppid().
 *
 * Data take the same number of faults in each process. Code does not: at a fault the kernel maps
 * the pages around that are in the page cache, up to a border of 64 KiB, and the loader places the
 * library anywhere between two borders. So in some processes code takes one fault more. The
 * cheapest of STARTS_MAX processes counts. They preload a copy of the library that was just
 * written: once the page cache has dropped parts of a file and read them again, each process has a
 * fault more.
 */
#include "child.h"
#include "cpus.h"
#include "support/system/copy_file.h"

#include <linux/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#define FAULTS_MAX 23
/*
 * More than a third of all places are cheap, so fewer than one in 10000 runs finds none by chance.
 */
#define STARTS_MAX 24
/* System calls other than those that read files: machines have different numbers of files. */
#define CALLS_MAX 36
#define PATHS_MAX 32
#define PATH_BYTES 200
#define ENVIRONMENT "TEST_START"	/* what the process is to do: one of the next two */
#define FIRST_MALLOC "1"
#define NEW_CLASSES "2"
/* Of objects up to this one class begins every 16 bytes. */
#define CLASSES_FROM 136
#define NR_CLASSES 24
#define FAULTS_OF_CLASSES_MAX (NR_CLASSES * 4 / 3 + 1)
#define EXIT_NOT_TRACED 255
#define SMALLEST_PAGE_BYTES 4096UL

struct start {
	unsigned int calls, paths;
	char path[PATHS_MAX][PATH_BYTES];
	int status;	/* the process's: its faults */
};

static struct start start;

/* --- The process that is watched -------------------------------------------------- */

static long faults_now(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_SELF, &usage) ? 0 : usage.ru_minflt + usage.ru_majflt;
}

static void exit_with_faults(long before, bool good)
{
	long faults = faults_now() - before;

	_exit(good && faults < EXIT_NOT_TRACED ? (int)faults : EXIT_NOT_TRACED - 1);
}

/* The memory for each class's objects, sheaf and cache. */
static void use_new_classes(void)
{
	bool good;
	long before;

	bind_to_cpu(false);	/* another one has memory of its own */
	good = malloc(opaque_size(100)) != NULL;
	before = faults_now();
	for (size_t i = 0; i < NR_CLASSES; i++)
		good = malloc(opaque_size(CLASSES_FROM + i * 16)) && good;
	exit_with_faults(before, good);
}

__attribute__((__constructor__)) static void begin(void)
{
	const char *what = getenv(ENVIRONMENT);
	long before;
	void *block;

	if (!what)
		return;
	if (!strcmp(what, NEW_CLASSES))
		use_new_classes();
	before = faults_now();
	syscall(SYS_getppid);
	block = malloc(opaque_size(100));
	syscall(SYS_getppid);
	exit_with_faults(before, block);
}

static void become(const char *what)
{
	char *arguments[] = { (char *)"test_start", NULL };

	setenv(ENVIRONMENT, what, 1);
	execv("/proc/self/exe", arguments);
}

static void be_watched(void)
{
	if (!syscall(SYS_ptrace, PTRACE_TRACEME, 0, NULL, NULL))
		become(FIRST_MALLOC);
	_exit(EXIT_NOT_TRACED);
}

/* --- The one that watches ---------------------------------------------------------- */

static void read_path(pid_t child, unsigned long address)
{
	struct iovec to = { start.path[start.paths % PATHS_MAX], PATH_BYTES - 1 };
	struct iovec from = { (void *)address, PATH_BYTES - 1 };

	/* Reads only to the end of a page: the next page may not be mapped. */
	if (process_vm_readv(child, &to, 1, &from, 1, 0) < 0) {
		from.iov_len = 4096 - address % 4096;
		process_vm_readv(child, &to, 1, &from, 1, 0);
	}
	start.paths++;
}

/* Counts the calls between the marks. False if the kernel does not tell them. */
static bool count_call(pid_t child, unsigned int *marks)
{
	struct ptrace_syscall_info info = { 0 };

	if (syscall(SYS_ptrace, PTRACE_GET_SYSCALL_INFO, child, sizeof(info), &info) <= 0)
		return false;
	if (info.op != PTRACE_SYSCALL_INFO_ENTRY)
		return true;
	if (info.entry.nr == SYS_getppid)
		++*marks;
	else if (*marks == 1 && info.entry.nr == SYS_openat)
		read_path(child, info.entry.args[1]);
	else if (*marks == 1 && info.entry.nr != SYS_read &&
		 info.entry.nr != SYS_pread64 && info.entry.nr != SYS_close)
		start.calls++;
	return true;
}

static bool watch(void)
{
	unsigned int marks = 0;
	pid_t child = fork();

	REQUIRE(child >= 0);
	if (!child)
		be_watched();
	REQUIRE(waitpid(child, &start.status, 0) == child);
	if (!WIFSTOPPED(start.status) ||
	    syscall(SYS_ptrace, PTRACE_SETOPTIONS, child, NULL, PTRACE_O_TRACESYSGOOD))
		return false;
	for (;;) {
		syscall(SYS_ptrace, PTRACE_SYSCALL, child, NULL, NULL);
		REQUIRE(waitpid(child, &start.status, 0) == child);
		if (!WIFSTOPPED(start.status))
			return marks == 2;
		if (WSTOPSIG(start.status) == (SIGTRAP | 0x80) && !count_call(child, &marks)) {
			kill(child, SIGKILL);
			waitpid(child, &start.status, 0);
			return false;
		}
	}
}

static void check_calls(void)
{
	CHECK(start.calls <= CALLS_MAX, "; %u system calls", start.calls);
	CHECK(start.paths <= PATHS_MAX);
	for (unsigned int i = 0; i < start.paths; i++)
		for (unsigned int j = 0; j < i; j++)
			CHECK(strcmp(start.path[i], start.path[j]), "; %s is read twice",
			      start.path[i]);
}

#define PRELOAD "LD_PRELOAD"

/* Preloads a copy of the library from now on, and writes its name to `path`. */
static void preload_copy(const char *library, char path[PATH_BYTES])
{
	int to;

	snprintf(path, PATH_BYTES, "%s.%d", library, getpid());
	to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	REQUIRE(to >= 0 && copy_file(library, to));
	close(to);
	setenv(PRELOAD, path, 1);
}

static void watch_starts(void)
{
	int least = EXIT_NOT_TRACED;

	for (unsigned int i = 0; i < STARTS_MAX && least > FAULTS_MAX; i++) {
		start = (struct start){ 0 };
		if (!watch()) {
			harness.skipped = "ptrace(2) is not allowed";
			return;
		}
		REQUIRE(WIFEXITED(start.status), "; wait status %#x", start.status);
		if (WEXITSTATUS(start.status) < least)
			least = WEXITSTATUS(start.status);
		dprintf(STDOUT_FILENO, "# %d faults, %u files, %u other system calls\n",
			WEXITSTATUS(start.status), start.paths, start.calls);
		check_calls();
	}
	CHECK(least <= FAULTS_MAX, "; %d faults", least);
}

static void first_malloc_is_cheap(void)
{
	char *library = getenv(PRELOAD) ? strdup(getenv(PRELOAD)) : NULL, copy[PATH_BYTES];

	if (library)
		preload_copy(library, copy);
	watch_starts();
	if (!library)
		return;
	setenv(PRELOAD, library, 1);
	unlink(copy);
	free(library);
}

static int faults_of_new_classes(void)
{
	int status;
	pid_t child = fork();

	REQUIRE(child >= 0);
	if (!child) {
		become(NEW_CLASSES);
		_exit(EXIT_NOT_TRACED);
	}
	REQUIRE(waitpid(child, &status, 0) == child && WIFEXITED(status));
	dprintf(STDOUT_FILENO, "# %d faults for %d classes\n", WEXITSTATUS(status), NR_CLASSES);
	return WEXITSTATUS(status);
}

static void new_classes_are_cheap(void)
{
	int least = EXIT_NOT_TRACED;

	for (unsigned int i = 0; i < STARTS_MAX && least > FAULTS_OF_CLASSES_MAX; i++) {
		int faults = faults_of_new_classes();

		least = faults < least ? faults : least;
	}
	CHECK(least <= FAULTS_OF_CLASSES_MAX, "; %d faults", least);
}

/* --- Code ------------------------------------------------------------------------------ */

/* __hot of base/compiler.h, and that free() is the first: one place among translations. */
static void calls_share_a_page(void)
{
	void *(*const volatile take[])(size_t) = { malloc };
	void *(*const volatile take_clear[])(size_t, size_t) = { calloc };
	void *(*const volatile resize[])(void *, size_t) = { realloc };
	void (*const volatile give[])(void *) = { free };
	unsigned long page = (unsigned long)give[0] / SMALLEST_PAGE_BYTES;

	if (USERMM_DEBUG) {
		harness.skipped = "the functions of a debug build are longer";
		return;
	}
	CHECK(!((unsigned long)give[0] % SMALLEST_PAGE_BYTES));
	CHECK((unsigned long)take[0] / SMALLEST_PAGE_BYTES == page);
	CHECK((unsigned long)take_clear[0] / SMALLEST_PAGE_BYTES == page);
	CHECK((unsigned long)resize[0] / SMALLEST_PAGE_BYTES == page);
}

/* --- Options ------------------------------------------------------------------------- */

#define LARGE_BYTES (100 * KIB)

/* The options come last, and this is at an address that only the loader knows by now. */
static void run_behind_a_large_variable(void *unused)
{
	static char large[LARGE_BYTES];

	(void)unused;
	memset(large, 'x', LARGE_BYTES - 1);
	unsetenv("USERMM_OPTIONS");
	setenv("USERMM_TEST_LARGE", large, 1);
	setenv("USERMM_OPTIONS", "stats=1", 1);
	execl("/bin/cat", "cat", "/dev/null", (char *)NULL);
	_exit(127);
}

static void options_behind_a_large_variable(void)
{
	struct child_result result;

#ifndef __GLIBC__
	harness.skipped = "musl's loader does not tell where the environment begins";
	return;
#endif
	child_run(&result, run_behind_a_large_variable, NULL);
	CHECK(child_exited(result.status, 0) && strstr(result.err, "slabinfo"),
	      "; wait status %#x, stderr %.200s", result.status, result.err);
}

TEST_MAIN({ "first_malloc_is_cheap", first_malloc_is_cheap, true },
	  { "new_classes_are_cheap", new_classes_are_cheap, true },
	  { "calls_share_a_page", calls_share_a_page, true },
	  { "options_behind_a_large_variable", options_behind_a_large_variable, true })
