/* SPDX-License-Identifier: MIT */
/*
 * Writing the profile to its file: a failure is reported and does not end the program, several
 * processes do not mix their files, and the signal's handler needs little stack. Every trial is
 * this program again, with the option, in a directory of its own.
 */
#include <dirent.h>
#include <setjmp.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>

#include "child.h"

#define PATH_SIZE 200
#define PROFILE_SIZE (MIB)
#define SIGNAL_NUMBER SIGUSR2
/* The stack that the handler may use beside its signal's frame. */
#define HANDLER_BYTES (KIB + KIB / 2)
#define SIGNAL_FRAME_BYTES (4 * KIB)
#define GUARD_BYTES (64 * KIB)
#define LEAVES 20
#define LEAVE_AFTER_US 900

int usermm_heap_profile(int fd) __attribute__((__weak__));

static char directory[PATH_SIZE] = "/tmp/usermm_profile_faults_XXXXXX";
static char text[PROFILE_SIZE];

/* --- Reading ---------------------------------------------------------------------------------- */

static const char *path_of(const char *name)
{
	static char path[2 * PATH_SIZE];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

/* The bytes that the samples have in use; 0 if it is no profile, or is cut off. */
static unsigned long in_use_of(const char *profile)
{
	unsigned long nr, bytes = 0;
	const char *end = strstr(profile, "\nMAPPED_LIBRARIES:\n");

	if (sscanf(profile, "heap profile: %lu: %lu [", &nr, &bytes) != 2 || !end ||
	    !strstr(end, "[stack]"))
		return 0;
	return bytes;
}

static unsigned long read_all(int fd)
{
	read_rest(fd, text, sizeof(text));
	return in_use_of(text);
}

static unsigned long read_file(const char *name)
{
	int fd = open(path_of(name), O_RDONLY | O_CLOEXEC);
	unsigned long bytes = fd < 0 ? 0 : read_all(fd);

	close(fd);
	return bytes;
}

/* Removes the files; returns how many there were. */
static unsigned int remove_files(void)
{
	unsigned int nr = 0;
	const struct dirent *entry;
	DIR *files = opendir(directory);

	REQUIRE(files);
	while ((entry = readdir(files)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			nr += !unlinkat(dirfd(files), entry->d_name, 0);
	closedir(files);
	return nr;
}

/* --- By the program ------------------------------------------------------------------------- */

static void *hold(size_t bytes)
{
	void *block = malloc(opaque_size(bytes));

	REQUIRE(block);
	return opaque(block);
}

static void expect_error(int fd, int error)
{
	errno = 12345;
	CHECK(usermm_heap_profile(fd) == -error && errno == 12345, "; error %d, errno %d", error,
	      errno);
}

static bool is_pending(int number)
{
	sigset_t set;

	sigpending(&set);
	return sigismember(&set, number);
}

static void expect_pipe_errors(void)
{
	sigset_t set;
	int fds[2];

	signal(SIGPIPE, SIG_DFL);	/* what is ignored is never pending */
	REQUIRE(!pipe2(fds, O_NONBLOCK | O_CLOEXEC));
	while (write(fds[1], text, 1) == 1)
		;
	expect_error(fds[1], EAGAIN);
	close(fds[0]);
	expect_error(fds[1], EPIPE);
	/* A signal that was pending for the program stays pending. */
	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	sigprocmask(SIG_BLOCK, &set, NULL);
	expect_error(fds[1], EPIPE);
	CHECK(!is_pending(SIGPIPE));
	raise(SIGPIPE);
	expect_error(fds[1], EPIPE);
	CHECK(is_pending(SIGPIPE));
	signal(SIGPIPE, SIG_IGN);	/* takes it away */
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	close(fds[1]);
}

static int ask_for_errors(void)
{
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct rlimit limit = { 100, 100 };

	hold(MIB);
	expect_error(-1, EBADF);
	expect_error(fd, ENOSPC);
	close(fd);
	expect_pipe_errors();
	fd = memfd_create("profile", MFD_CLOEXEC);
	expect_error(fd, 0);
	REQUIRE(!ftruncate(fd, 0) && !lseek(fd, 0, SEEK_SET) &&
		!setrlimit(RLIMIT_FSIZE, &limit));
	expect_error(fd, EFBIG);
	CHECK(!is_pending(SIGXFSZ));
	return harness_status();
}

/*
 * Every two bits of the number choose the next callee, so there are more different stacks than are
 * kept.
 */
#define NR_WAYS 100000u
#define DEPTH 16

typedef void (*descend_function)(unsigned int way, unsigned int depth);
static descend_function volatile descend[4];

#define DESCEND(name)								\
	static __attribute__((__noinline__))					\
	void name(unsigned int way, unsigned int depth)				\
	{									\
		if (depth)							\
			descend[way % 4](way / 4, depth - 1);			\
		else								\
			free(hold(16));						\
		opaque(&way);	/* the call is no jump */			\
	}

DESCEND(descend_north)
DESCEND(descend_east)
DESCEND(descend_south)
DESCEND(descend_west)

static int use_up_stacks(void)
{
	int fd = memfd_create("profile", MFD_CLOEXEC);

	descend[0] = descend_north;
	descend[1] = descend_east;
	descend[2] = descend_south;
	descend[3] = descend_west;
	for (unsigned int i = 0; i < NR_WAYS; i++)
		descend_north(i * 0x9e3779b1u, DEPTH);
	CHECK(!usermm_heap_profile(fd) && !lseek(fd, 0, SEEK_SET));
	read_all(fd);
	CHECK(strstr(text, "\n# ") && strstr(text, " have no stack"), "; %.300s", text);
	return harness_status();
}

/* --- At its end, and on a signal ------------------------------------------------------------ */

static int end_with_mib(void)
{
	hold(MIB);
	return harness_status();
}

/* Its profile is longer than a small pipe: it tells of all mappings. */
static int end_with_many(void)
{
	hold(MIB);
	for (unsigned int i = 0; i < 400; i++)
		mmap(NULL, 4 * KIB, i % 2 ? PROT_READ : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
		     -1, 0);
	return harness_status();
}

static int end_with_more(void)
{
	hold(2 * MIB);
	return harness_status();
}

static int end_with_small_files(void)
{
	struct rlimit limit = { 100, 100 };

	hold(MIB);
	REQUIRE(!setrlimit(RLIMIT_FSIZE, &limit));
	return harness_status();
}

static int end_elsewhere(void)
{
	hold(MIB);
	REQUIRE(!chdir(getenv("PROFILE_DIRECTORY")));
	return harness_status();
}

/* The child has the parent's block and then one more; it writes on the signal, and at its end. */
static int raise_in_child(void)
{
	pid_t child;

	hold(MIB);
	child = fork();
	REQUIRE(child >= 0);
	if (!child) {
		raise(SIGNAL_NUMBER);
		hold(MIB);
		exit(0);
	}
	CHECK(child_exited(child_wait(child), 0));
	return harness_status();
}

/* This child shares its parent's memory, and must not write a file. */
static int raise_in_sharing_child(void)
{
	pid_t child;

	hold(MIB);
	child = vfork();
	REQUIRE(child >= 0);
	if (!child) {
		/* raise() may go by what libc knows of the thread, which is the parent's. */
		kill(getpid(), SIGNAL_NUMBER);
		_exit(0);
	}
	CHECK(child_exited(child_wait(child), 0));
	return harness_status();
}

static sigjmp_buf before_raise;

static void leave_handler(int number)
{
	(void)number;
	siglongjmp(before_raise, 1);
}

/* Another handler would leave the writer's, if it could come in between. */
static int leave_the_handler(void)
{
	const struct itimerval soon = { { 0, 0 }, { 0, LEAVE_AFTER_US } };

	hold(MIB);
	signal(SIGALRM, leave_handler);
	for (volatile unsigned int i = 0; i < LEAVES; i++) {
		if (sigsetjmp(before_raise, 1))
			continue;
		REQUIRE(!setitimer(ITIMER_REAL, &soon, NULL));
		for (;;)
			raise(SIGNAL_NUMBER);
	}
	return harness_status();
}

static int raise_on_small_stack(void)
{
	size_t bytes = getauxval(AT_MINSIGSTKSZ);	/* what the frame takes; 0: unknown */
	char *memory = mmap(NULL, 2 * GUARD_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t stack = { .ss_sp = memory + GUARD_BYTES };

	stack.ss_size = (bytes ? bytes : SIGNAL_FRAME_BYTES) + HANDLER_BYTES;
	REQUIRE(memory != MAP_FAILED && !mprotect(memory, GUARD_BYTES, PROT_NONE) &&
		!sigaltstack(&stack, NULL));
	hold(MIB);
	raise(SIGNAL_NUMBER);
	_exit(harness_status());
}

/* --- Trials --------------------------------------------------------------------------------- */

static int trial(const char *what)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} trials[] = {
		{ "errors", ask_for_errors }, { "stacks", use_up_stacks },
		{ "mib", end_with_mib }, { "more", end_with_more }, { "many", end_with_many },
		{ "small_files", end_with_small_files }, { "elsewhere", end_elsewhere },
		{ "child", raise_in_child }, { "small_stack", raise_on_small_stack },
		{ "sharing_child", raise_in_sharing_child }, { "leave", leave_the_handler },
	};

	for (size_t i = 0; i < ARRAY_SIZE(trials); i++)
		if (!strcmp(trials[i].name, what))
			return trials[i].run();
	return 1;
}

static void run(struct child_result *result, const char *what, const char *options)
{
	struct child_again again = { "--trial", what, options, 0 };

	child_run(result, child_exec_again, &again);
}

/* It ends well, and says nothing but a warning with that text; NULL: nothing at all. */
static void try(const char *what, const char *options, const char *warning)
{
	struct child_result result;

	run(&result, what, options);
	CHECK(child_exited(result.status, 0) &&
	      (warning ? count_lines(result.err) == 1 && strstr(result.err, warning) :
			 !*result.err),
	      "; %s, %s: status %#x %s", what, options, result.status, result.err);
}

/* As try(); the profile goes to the file of that name. */
static void try_file(const char *what, const char *name, const char *warning)
{
	char options[4 * PATH_SIZE];

	snprintf(options, sizeof(options), "profile=1K:profile_signal=%d:profile_file=%s",
		 SIGNAL_NUMBER, path_of(name));
	try(what, options, warning);
}

static void errors_are_returned(void)
{
	try("errors", "profile=1K", NULL);
}

static void stacks_that_are_missing_are_told(void)
{
	try("stacks", "profile=1", NULL);
}

static void errors_are_warned_of(void)
{
	/* By links, so that whatever is replaced is one of these. */
	REQUIRE(!symlink("/dev/full", path_of("full")) && !symlink("/dev/null", path_of("null")));
	try_file("mib", "full", "cannot be written: error 28");
	try_file("mib", "null", NULL);
	CHECK(remove_files() == 2);
	try_file("small_files", "1", "cannot be written: error 27");
	CHECK(!remove_files());
	try_file("mib", "none/1", "cannot be written: error 2");
	CHECK(!mkdir(path_of("1"), 0700));
	try_file("mib", "1", "cannot be written: error 21");
	rmdir(path_of("1"));
	CHECK(!remove_files());
}

static void pipes_are_not_waited_for(void)
{
	pid_t child;
	int fd;

	REQUIRE(!mkfifo(path_of("pipe"), 0600));
	try_file("mib", "pipe", "cannot be written: error 6");
	/* With a reader that reads everything, though perhaps late. */
	fd = open(path_of("pipe"), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	REQUIRE(fd >= 0 && fcntl(fd, F_SETPIPE_SZ, 4096) > 0 && !fcntl(fd, F_SETFL, 0));
	child = fork();
	REQUIRE(child >= 0);
	if (!child) {
		close(fd);
		try_file("many", "pipe", NULL);
		_exit(harness_status());
	}
	sleep_us(100000);
	while (!read_all(fd) && !*text)	/* nobody has it open yet */
		sleep_us(1000);
	CHECK(in_use_of(text) >= MIB && strlen(text) > 4 * 4 * KIB, "; %.100s", text);
	close(fd);
	CHECK(child_exited(child_wait(child), 0));
	CHECK(remove_files() == 1);
}

/* Whoever has it open keeps what it opened; and no other file is left. */
static void names_are_of_complete_files(void)
{
	struct stat status;
	int fd;

	try_file("mib", "1", NULL);
	fd = open(path_of("1"), O_RDONLY | O_CLOEXEC);
	REQUIRE(fd >= 0);
	try_file("more", "1", NULL);
	CHECK(read_file("1") >= 2 * MIB);
	CHECK(!fstat(fd, &status) && !status.st_nlink && (status.st_mode & 0777) == 0600);
	CHECK(read_all(fd) >= MIB && in_use_of(text) < 2 * MIB);
	close(fd);
	CHECK(remove_files() == 1);
}

/* It stays one: it may be /dev/stdout. */
static void links_are_followed(void)
{
	char target[2 * PATH_SIZE];
	struct stat status;

	snprintf(target, sizeof(target), "%s", path_of("target"));
	REQUIRE(!symlink(target, path_of("link")));
	for (unsigned int i = 0; i < 2; i++) {
		try_file("mib", "link", NULL);
		CHECK(!lstat(path_of("link"), &status) && S_ISLNK(status.st_mode));
		CHECK(read_file("target") >= MIB);
	}
	CHECK(remove_files() == 2);
}

static void relative_names_are_of_the_end(void)
{
	setenv("PROFILE_DIRECTORY", directory, 1);
	try("elsewhere", "profile=1K:profile_file=relative", NULL);
	CHECK(read_file("relative") >= MIB);
	CHECK(remove_files() == 1);
}

/* The bytes in each file "PROCESS.NUMBER". */
static void children_have_files_of_their_own(void)
{
	unsigned long bytes[2][3] = { 0 };	/* parent's, child's; by number */
	int process, child = 0, number;
	const struct dirent *entry;
	DIR *files;

	try_file("child", "%p.%n", NULL);
	files = opendir(directory);
	REQUIRE(files);
	while ((entry = readdir(files)))	/* the child has written twice */
		if (sscanf(entry->d_name, "%d.%d", &process, &number) == 2 && number == 2)
			child = process;
	rewinddir(files);
	while ((entry = readdir(files)))
		if (sscanf(entry->d_name, "%d.%d", &process, &number) == 2 &&
		    CHECK(number == 1 || number == 2))
			bytes[process == child][number] = read_file(entry->d_name);
	closedir(files);
	CHECK(remove_files() == 3);
	CHECK(bytes[0][1] >= MIB && bytes[0][1] < 2 * MIB, "; %lu", bytes[0][1]);
	CHECK(bytes[1][1] >= MIB && bytes[1][1] < 2 * MIB, "; %lu", bytes[1][1]);
	CHECK(bytes[1][2] >= 2 * MIB && bytes[1][2] < 3 * MIB, "; %lu", bytes[1][2]);
}

static void children_that_share_memory_write_nothing(void)
{
	try_file("sharing_child", "%p.%n", NULL);
	CHECK(remove_files() == 1);		/* the parent's, at its end */
}

static void the_writer_is_not_left(void)
{
	try_file("leave", "left", NULL);
	CHECK(read_file("left") >= MIB);
	CHECK(remove_files() == 1);
}

static void the_handler_needs_little_stack(void)
{
	try_file("small_stack", "1", NULL);
	CHECK(read_file("1") >= MIB);
	CHECK(remove_files() == 1);
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "errors_are_returned", errors_are_returned, true },
		{ "stacks_that_are_missing_are_told", stacks_that_are_missing_are_told, true },
		{ "errors_are_warned_of", errors_are_warned_of, true },
		{ "pipes_are_not_waited_for", pipes_are_not_waited_for, true },
		{ "names_are_of_complete_files", names_are_of_complete_files, true },
		{ "links_are_followed", links_are_followed, true },
		{ "relative_names_are_of_the_end", relative_names_are_of_the_end, true },
		{ "children_have_files_of_their_own", children_have_files_of_their_own, true },
		{ "children_that_share_memory_write_nothing",
		  children_that_share_memory_write_nothing, true },
		{ "the_writer_is_not_left", the_writer_is_not_left, true },
		{ "the_handler_needs_little_stack", the_handler_needs_little_stack, true },
	};
	int status;

	if (argc > 2 && !strcmp(argv[1], "--trial"))
		return trial(argv[2]);
	REQUIRE(mkdtemp(directory));
	status = harness_main(argc, argv, cases, ARRAY_SIZE(cases));
	return rmdir(directory) || status;
}
