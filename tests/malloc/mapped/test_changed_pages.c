/* SPDX-License-Identifier: MIT */
/*
 * Whatever a program has done to the pages of its block, the next owner gets pages as new:
 * protection, locks, advice, memory policies, protection keys, names, userfaultfd and guards are
 * gone. Each change is made to all of a block and to parts, of a block that malloc() made and of
 * one that has grown and moved.
 */
#include <errno.h>
#include <linux/userfaultfd.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "child.h"

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif
#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif
#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#endif
#define ANON_NAME 0UL
#define USER_MODE_ONLY 1
#define POLICY_PREFERRED 1
#define POLICY_OF_ADDRESS 2

#define BYTES (6 * MIB)
#define HANG_SECONDS 20
/* Parts of 128 KiB and more stay for the next owner, and large ones are cut. */
#define FAULTS_FEW 100

static size_t page_bytes;

/* --- Changes: each returns whether this system has it ---------------------------------------- */

static bool protect(char *start, size_t bytes)
{
	return !mprotect(start, bytes, PROT_READ);
}

static bool lock(char *start, size_t bytes)
{
	return !mlock(start, bytes);
}

static bool advise(char *start, size_t bytes, int advice)
{
	return !madvise(start, bytes, advice);
}

#define ADVICE(name, advice)							\
	static bool name(char *start, size_t bytes)				\
	{									\
		return advise(start, bytes, advice);				\
	}
ADVICE(merge, MADV_MERGEABLE)
ADVICE(read_at_random, MADV_RANDOM)
ADVICE(read_in_order, MADV_SEQUENTIAL)
ADVICE(leave_out_at_fork, MADV_DONTFORK)
ADVICE(wipe_at_fork, MADV_WIPEONFORK)
ADVICE(leave_out_of_dumps, MADV_DONTDUMP)
ADVICE(want_huge, MADV_HUGEPAGE)
ADVICE(want_no_huge, MADV_NOHUGEPAGE)
ADVICE(guard, MADV_GUARD_INSTALL)

static bool prefer_node(char *start, size_t bytes)
{
	unsigned long nodes = 1;

	return !syscall(SYS_mbind, start, bytes, POLICY_PREFERRED, &nodes, 64UL, 0);
}

static bool name(char *start, size_t bytes)
{
	return !prctl(PR_SET_VMA, ANON_NAME, (unsigned long)start, bytes, "a name");
}

static bool set_key(char *start, size_t bytes)
{
	static long key = -1;

	if (key < 0)
		key = syscall(SYS_pkey_alloc, 0UL, 0UL);
	return key > 0 && !syscall(SYS_pkey_mprotect, start, bytes, PROT_READ | PROT_WRITE, key);
}

/* Nobody would answer the page faults. */
static bool watch(char *start, size_t bytes)
{
	static int fd = -1;
	struct uffdio_register range = {
		.range = { (uintptr_t)start, bytes }, .mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	struct uffdio_api api = { .api = UFFD_API };

	if (fd < 0) {
		fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | USER_MODE_ONLY);
		if (fd < 0 || ioctl(fd, UFFDIO_API, &api))
			return false;
	}
	return !ioctl(fd, UFFDIO_REGISTER, &range);
}

static bool replace(char *start, size_t bytes)
{
	return mmap(start, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED,
		    -1, 0) == start;
}

static const struct change {
	const char *name;
	bool (*make)(char *start, size_t bytes);
} changes[] = {
	{ "protect", protect }, { "lock", lock }, { "merge", merge },
	{ "read_at_random", read_at_random }, { "read_in_order", read_in_order },
	{ "leave_out_at_fork", leave_out_at_fork }, { "wipe_at_fork", wipe_at_fork },
	{ "leave_out_of_dumps", leave_out_of_dumps }, { "want_huge", want_huge },
	{ "want_no_huge", want_no_huge }, { "guard", guard }, { "prefer_node", prefer_node },
	{ "name", name }, { "set_key", set_key }, { "watch", watch }, { "replace", replace },
};

/* --- What the kernel says of a block ------------------------------------------------------ */

static char smaps[MIB];

static void read_smaps(void)
{
	int fd = open("/proc/self/smaps", O_RDONLY | O_CLOEXEC);

	REQUIRE(fd >= 0);
	read_rest(fd, smaps, sizeof(smaps));
	close(fd);
}

/* The flags of a mapping that differ from a new one's, wherever it begins and ends. */
struct mapping_state {
	unsigned long start, end;
	char flags[256], name[64], key[64];
};

static void copy_line(char *to, size_t room, const char *from)
{
	snprintf(to, room, "%.*s", (int)strcspn(from, "\n"), from);
}

/* The state of the mapping that holds the address. */
static struct mapping_state state_of(const char *address)
{
	struct mapping_state state = { 0 };
	bool is_inside = false;

	for (const char *line = smaps; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		unsigned long start, end;
		int at = 0;

		if (sscanf(line, "%lx-%lx %*s %*s %*s %*s%n", &start, &end, &at) == 2 && at) {
			is_inside = (uintptr_t)address >= start && (uintptr_t)address < end;
			if (!is_inside)
				continue;
			state.start = start;
			state.end = end;
			line += at;
			while (*line == ' ')
				line++;
			copy_line(state.name, sizeof(state.name), line);
		} else if (is_inside && !strncmp(line, "VmFlags:", 8)) {
			copy_line(state.flags, sizeof(state.flags), line);
		} else if (is_inside && !strncmp(line, "ProtectionKey:", 14)) {
			copy_line(state.key, sizeof(state.key), line);
		}
	}
	return state;
}

static void forget(char *flags, const char *flag)
{
	char *found = strstr(flags, flag);

	if (found)
		memmove(found, found + 3, strlen(found + 3) + 1);
}

/*
 * Whether pages were written to since a debugger asked, and whether there may have been guards: the
 * kernel does not forget the latter, and joins such mappings with others.
 */
static void forget_harmless(char *flags)
{
	forget(flags, " sd");
	forget(flags, " gu");
}

static bool is_as_new(const char *block, size_t bytes, const char *what)
{
	char *fresh = mmap(NULL, 4 * page_bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct mapping_state wanted, found;
	bool is_good = true;

	REQUIRE(fresh != MAP_FAILED);
	read_smaps();
	wanted = state_of(fresh);
	forget_harmless(wanted.flags);
	for (const char *at = block; at < block + bytes; at = (const char *)found.end) {
		int policy = -1;

		found = state_of(at);
		REQUIRE(found.end, "; %p is in no mapping", (const void *)at);
		forget_harmless(found.flags);
		is_good &= CHECK(!strcmp(found.flags, wanted.flags), "; %s: %s instead of %s", what,
				 found.flags, wanted.flags);
		is_good &= CHECK(!strcmp(found.name, wanted.name), "; %s: %s", what, found.name);
		is_good &= CHECK(!strcmp(found.key, wanted.key), "; %s: %s", what, found.key);
		if (!syscall(SYS_get_mempolicy, &policy, NULL, 0UL, at, POLICY_OF_ADDRESS))
			is_good &= CHECK(!policy, "; %s: policy %d", what, policy);
	}
	munmap(fresh, 4 * page_bytes);
	return is_good;
}

/* --- Blocks ------------------------------------------------------------------------------- */

static char *take_new(void)
{
	return opaque(malloc(BYTES));
}

/* The block moves when it grows, because something lies behind it. */
static char *take_grown(void)
{
	char *block = opaque(malloc(100 * KIB));

	for (size_t bytes = 200 * KIB; block && bytes < 2 * MIB; bytes += bytes / 4) {
		char *grown = realloc(block, bytes);

		if (grown)
			grown[bytes - 1] = 1;
		block = grown;
	}
	return block;
}

static const struct kind {
	const char *name;
	char *(*take)(void);
} kinds[] = {
	{ "new", take_new }, { "grown", take_grown },
};

/* Which part of a block is changed: in pages, from its first to its last. */
enum part { ALL, BEGIN, MIDDLE, END, NR_PARTS };

static void find_part(char *block, enum part part, char **start, size_t *bytes)
{
	char *first = (char *)(((uintptr_t)block + page_bytes - 1) & -page_bytes);
	char *end = (char *)((uintptr_t)(block + malloc_usable_size(block)) & -page_bytes);

	*start = part == MIDDLE ? first + 7 * page_bytes : part == END ? end - page_bytes : first;
	*bytes = part == ALL ? (size_t)(end - first) : page_bytes;
}

/* Each owner gets a block as new; changed pages go to nobody. */
static void check_owners(const struct kind *kind, const char *what)
{
	char *blocks[3];

	for (unsigned int i = 0; i < ARRAY_SIZE(blocks); i++) {
		blocks[i] = kind->take();
		REQUIRE(blocks[i]);
		if (is_as_new(blocks[i], malloc_usable_size(blocks[i]), what))
			memset(blocks[i], 1, malloc_usable_size(blocks[i]));
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(blocks); i++)
		free(blocks[i]);
}

static void change_in_child(const struct change *change, const struct kind *kind, enum part part)
{
	char what[64], *block = kind->take(), *start;
	size_t bytes;

	REQUIRE(block);
	snprintf(what, sizeof(what), "%s of %s, part %d", change->name, kind->name, (int)part);
	memset(block, 1, malloc_usable_size(block));
	find_part(block, part, &start, &bytes);
	if (!change->make(start, bytes)) {
		if (part == ALL && kind == kinds)
			dprintf(STDOUT_FILENO, "# %s: not here (errno %d)\n", change->name, errno);
		return;
	}
	free(block);
	check_owners(kind, what);
}

static void in_child(void (*run)(const struct change *, const struct kind *, enum part),
		     const struct change *change, const struct kind *kind, enum part part)
{
	pid_t pid = fork();
	int status;

	REQUIRE(pid >= 0);
	if (!pid) {
		alarm(HANG_SECONDS * (unsigned int)slowness());
		run(change, kind, part);
		_exit(harness_status());
	}
	status = child_wait(pid);
	CHECK(child_exited(status, 0), "; %s of %s, part %d: wait status %#x", change->name,
	      kind->name, (int)part, status);
}

static void pages_are_as_new(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++)
		for (size_t kind = 0; kind < ARRAY_SIZE(kinds); kind++)
			for (int part = ALL; part < NR_PARTS; part++)
				in_child(change_in_child, &changes[i], &kinds[kind],
					 (enum part)part);
}

/* A block whose end was changed, and is smaller now: the new end was changed, too. */
static void shrink_in_child(const struct change *change, const struct kind *kind, enum part part)
{
	char *block = opaque(malloc(3 * BYTES)), *start;
	size_t bytes;

	REQUIRE(block);
	memset(block, 1, 3 * BYTES);
	find_part(block, part, &start, &bytes);
	if (!change->make(start, bytes))
		return;
	if (change->make == protect)	/* what is copied is read */
		REQUIRE(!mprotect(start, bytes, PROT_READ | PROT_WRITE));
	block = realloc(block, BYTES);
	REQUIRE(block);
	free(block);
	check_owners(kind, change->name);
}

static void shrunk_blocks_too(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++)
		if (changes[i].make != guard)	/* a copy would read them */
			in_child(shrink_in_child, &changes[i], &kinds[0], ALL);
}

/* --- Who changes nothing ------------------------------------------------------------------ */

static long faults_now(void)
{
	struct rusage usage;

	REQUIRE(!getrusage(RUSAGE_SELF, &usage));
	return usage.ru_minflt + usage.ru_majflt;
}

/* Programs that send memory to devices do this. Such a block stays for the next one. */
static void undo_in_child(const struct change *change, const struct kind *kind, enum part part)
{
	long before = 0;

	for (unsigned int i = 0; i < 10; i++) {
		char *block = kind->take(), *start;
		size_t bytes;

		REQUIRE(block);
		memset(block, 1, malloc_usable_size(block));
		find_part(block, part, &start, &bytes);
		REQUIRE(!madvise(start, bytes, MADV_DONTFORK));
		REQUIRE(!madvise(start, bytes, MADV_DOFORK));
		free(block);
		/* The first one goes at once, until it is wanted again (page/reclaim/decay.h). */
		if (i <= 1)
			before = faults_now();
	}
	CHECK(faults_now() - before < FAULTS_FEW, "; %s of %s: %ld", change->name, kind->name,
	      faults_now() - before);
}

static void undone_changes_do_no_harm(void)
{
	static const struct change undone = { "undone", NULL };

	in_child(undo_in_child, &undone, &kinds[0], ALL);
	in_child(undo_in_child, &undone, &kinds[0], MIDDLE);
}

/* --- A reader of userfaultfd that allocates ------------------------------------------------ */

#define READ_BYTES (512 * KIB)	/* no mapping of its own */

static void *free_and_trim(void *block)
{
	free(block);
	malloc_trim(0);
	return NULL;
}

/* Is a thread waiting in madvise(2) until the file's reader has read the event? */
static bool somebody_waits(int fd)
{
	struct pollfd file = { fd, POLLIN, 0 };

	return poll(&file, 1, HANG_SECONDS * 1000) == 1;
}

/*
 * The thread that gives memory back waits in madvise(2) until this thread has read the event. This
 * thread allocates before it reads.
 */
static int allocate_before_reading(void)
{
	struct uffdio_api api = { .api = UFFD_API, .features = UFFD_FEATURE_EVENT_REMOVE };
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	static char *blocks[100];
	struct uffd_msg event;
	pthread_t thread;
	char *block;

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api))
		return 77;
	block = malloc(READ_BYTES);
	REQUIRE(block);
	memset(block, 1, READ_BYTES);
	range.range.start = ((uintptr_t)block + page_bytes - 1) / page_bytes * page_bytes;
	range.range.len = READ_BYTES - page_bytes;
	if (ioctl(fd, UFFDIO_REGISTER, &range))
		return 77;
	REQUIRE(!pthread_create(&thread, NULL, free_and_trim, block));
	REQUIRE(somebody_waits(fd));
	alarm(HANG_SECONDS);
	for (size_t round = 0; round < 10; round++) {
		for (size_t i = 0; i < ARRAY_SIZE(blocks); i++) {
			blocks[i] = malloc(1 + i * 10 * KIB);
			REQUIRE(blocks[i]);
			memset(blocks[i], 1, 1 + i * 10 * KIB);
		}
		for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
			free(blocks[i]);
	}
	CHECK(read(fd, &event, sizeof(event)) == sizeof(event) &&
	      event.event == UFFD_EVENT_REMOVE);
	close(fd);		/* the pages are like any others */
	pthread_join(thread, NULL);
	return harness_status();
}

static void reader_may_allocate(void)
{
	struct child_again again = {
		"--allocate-before-reading", NULL, "hardened=0:kfence_sample=0", 0,
	};
	struct child_result result;

	child_run(&result, child_exec_again, &again);
	if (child_exited(result.status, 77))
		harness.skipped = "this process may not use userfaultfd";
	else
		CHECK(child_exited(result.status, 0) && !*result.err, "; wait status %#x %s",
		      result.status, result.err);
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "pages_are_as_new", pages_are_as_new, false },
		{ "shrunk_blocks_too", shrunk_blocks_too, false },
		{ "undone_changes_do_no_harm", undone_changes_do_no_harm, true },
		{ "reader_may_allocate", reader_may_allocate, true },
	};

	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	if (argc > 1 && !strcmp(argv[1], "--allocate-before-reading"))
		return allocate_before_reading();
	return harness_main(argc, argv, cases, ARRAY_SIZE(cases));
}
