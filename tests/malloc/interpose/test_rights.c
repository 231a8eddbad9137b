/* SPDX-License-Identifier: MIT */
/*
 * The library's own thread never has more rights than the program, in whatever way the program
 * gives its own up; and libc's calls for all threads work beside it.
 */
#include <dlfcn.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "child.h"
#include "tasks.h"

#define NOBODY 65534
/* Free memory within the 128 MiB that a program keeps does not create the thread. */
#define NR_BLOCKS 1200u
/* The thread is not called twice within a quarter of a second. */
#define NEXT_THREAD_US 300000

/* --- What the kernel says of a thread --------------------------------------------- */

static const char *const cap_sets[] = { "CapInh:", "CapPrm:", "CapEff:", "CapBnd:", "CapAmb:" };

/*
 * Does the kernel have seccomp filters? EFAULT: it does, and cannot read this one. Not by prctl(),
 * which is the library's.
 */
static bool has_filters(void)
{
	return syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL, 0, 0) &&
	       errno == EFAULT;
}

struct rights {
	unsigned long long caps[ARRAY_SIZE(cap_sets)];
	unsigned long long no_new_privs, seccomp, uid, gid;
};

static unsigned long long number_of(const char *text, const char *name, int base)
{
	const char *line = strstr(text, name);

	REQUIRE(line, "; %s", name);
	return strtoull(line + strlen(name), NULL, base);
}

static void read_rights(const char *number, struct rights *rights)
{
	char path[300], text[4 * KIB];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%s/status", number);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	REQUIRE(fd >= 0);
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	REQUIRE(n > 0);
	text[n] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(cap_sets); i++)
		rights->caps[i] = number_of(text, cap_sets[i], 16);
	rights->no_new_privs = number_of(text, "NoNewPrivs:", 10);
	rights->seccomp = number_of(text, "Seccomp:", 10);
	rights->uid = number_of(text, "\nUid:", 10);
	rights->gid = number_of(text, "\nGid:", 10);
}

/* The first thread but this one; false if there is none. */
static bool find_other(char number[32])
{
	DIR *tasks = opendir("/proc/self/task");
	const struct dirent *task;
	bool found = false;

	REQUIRE(tasks);
	while (!found && (task = readdir(tasks)))
		if (task->d_name[0] != '.' && atoi(task->d_name) != (int)syscall(SYS_gettid)) {
			snprintf(number, 32, "%.31s", task->d_name);
			found = true;
		}
	closedir(tasks);
	return found;
}

/* The other thread has at most this one's rights. Returns how many there are. */
static unsigned int compare_rights(const char *way)
{
	char self[32], number[32];
	struct rights own, other;

	if (!find_other(number))
		return 0;
	snprintf(self, sizeof(self), "%d", (int)syscall(SYS_gettid));
	read_rights(self, &own);
	read_rights(number, &other);
	for (size_t i = 0; i < ARRAY_SIZE(cap_sets); i++)
		CHECK(!(other.caps[i] & ~own.caps[i]), "; after %s: %s %#llx beside %#llx", way,
		      cap_sets[i], other.caps[i], own.caps[i]);
	CHECK(other.no_new_privs >= own.no_new_privs, "; after %s", way);
	CHECK(other.seccomp >= own.seccomp, "; after %s", way);
	return 1;
}

/* Until the library's thread has run its first instructions, in which it gives up its rights. */
static void wait_for_thread(void)
{
	double deadline = seconds_now() + CHILD_SECONDS / 2;
	struct rights other = { .no_new_privs = 0 };
	char number[32];

	while (find_other(number) && seconds_now() < deadline) {
		read_rights(number, &other);
		if (other.no_new_privs && (other.seccomp || !has_filters()))
			return;
		sleep_us(1000);
	}
}

/* --- A program with the library's thread ------------------------------------------- */

static void come_to_a_peak(void)
{
	static void *blocks[NR_BLOCKS];

	for (unsigned int i = 0; i < NR_BLOCKS; i++) {
		blocks[i] = malloc(256 * KIB);
		REQUIRE(blocks[i]);
		memset(blocks[i], 1, 256 * KIB);
	}
	for (unsigned int i = 0; i < NR_BLOCKS; i++)
		free(blocks[i]);
	if (!preloaded())
		return;
	CHECK(nr_threads() == 2);
	wait_for_thread();
}

/* --- Ways to give up rights in one thread ------------------------------------------ */

static bool drop_capabilities(void)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct none[2] = { { 0, 0, 0 }, { 0, 0, 0 } };

	return !syscall(SYS_capset, &header, none);
}

static bool drop_bounding_set(void)
{
	for (unsigned long i = 0; i < 64; i++)
		if (prctl(PR_CAPBSET_DROP, i, 0, 0, 0))
			return i;
	return true;
}

static bool set_securebits(void)
{
	return !prctl(PR_SET_SECUREBITS, (unsigned long)SECURE_ALL_BITS, 0, 0, 0);
}

static bool change_user_raw(void)
{
	return !syscall(SYS_setresgid, NOBODY, NOBODY, NOBODY) &&
	       !syscall(SYS_setresuid, NOBODY, NOBODY, NOBODY);
}

/* A process with CAP_SYS_ADMIN may do this without no_new_privs. */
static bool set_filter(void)
{
	struct sock_filter code[] = { BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	struct sock_fprog program = { ARRAY_SIZE(code), code };

	return !syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

static bool set_no_new_privs_raw(void)
{
	return !syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/* Landlock, which forbids to execute files; its numbers are newer than some headers. */
static bool enter_landlock(void)
{
	unsigned long long attribute = 1;	/* LANDLOCK_ACCESS_FS_EXECUTE */
	long fd = syscall(444, &attribute, sizeof(attribute), 0);

	return fd >= 0 && !syscall(446, fd, 0);
}

static bool set_nothing(void)
{
	return true;
}

struct way {
	const char *name;
	bool (*give_up)(void);
};

static void give_up_beside_thread(void *arg)
{
	const struct way *way = (const struct way *)arg;

	come_to_a_peak();
	if (!way->give_up())
		_exit(77);
	if (preloaded())
		CHECK(compare_rights(way->name) == 1, "; after %s", way->name);
	/* The thread's work goes on. */
	come_to_a_peak();
	compare_rights(way->name);
}

static void expect_success(void (*fn)(void *arg), const void *arg, const char *name)
{
	struct child_result result;

	child_run(&result, fn, (void *)(uintptr_t)arg);
	if (child_exited(result.status, 77)) {
		printf("# %s: this process may not\n", name);
		return;
	}
	CHECK(child_exited(result.status, 0) && !*result.err, "; %s: wait status %#x %s", name,
	      result.status, result.err);
}

static void thread_has_no_more(void)
{
	static const struct way ways[] = {
		{ "nothing", set_nothing },
		{ "capset", drop_capabilities },
		{ "PR_CAPBSET_DROP", drop_bounding_set },
		{ "PR_SET_SECUREBITS", set_securebits },
		{ "setresuid by itself", change_user_raw },
		{ "seccomp", set_filter },
		{ "no_new_privs by itself", set_no_new_privs_raw },
		{ "Landlock", enter_landlock },
	};

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++)
		expect_success(give_up_beside_thread, &ways[i], ways[i].name);
}

/* --- libc's calls, for all threads -------------------------------------------------- */

/* The usual sequence of calls, with the usual check that the rights cannot come back. */
static void change_user(void *unused)
{
	(void)unused;
	come_to_a_peak();
	if (geteuid())
		_exit(77);
	CHECK(!setegid(NOBODY) && !seteuid(NOBODY) && !seteuid(0) && !setegid(0));
	come_to_a_peak();
	CHECK(!setgroups(0, NULL) && !setgid(NOBODY) && !setuid(NOBODY));
	CHECK(setuid(0) && errno == EPERM);
	CHECK(seteuid(0) && errno == EPERM);
	CHECK(setresgid(0, 0, 0) && setgroups(0, NULL));
	compare_rights("setuid");
	come_to_a_peak();
	CHECK(setuid(0) && errno == EPERM);
	compare_rights("setuid");
}

static void calls_for_all_threads(void)
{
	expect_success(change_user, NULL, "setuid");
}

/*
 * A user without the right: the answer is the same for all threads, by the library's function and
 * by libc's own.
 */
static void try_to_change_user(void *arg)
{
	int (*set)(uid_t uid) = setuid;
	void *libc;

	if (!geteuid() && (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY)))
		_exit(77);
	if (arg) {
		libc = dlopen("libc.so.6", RTLD_LAZY);
		if (!libc)
			_exit(77);
		set = (int (*)(uid_t uid))(uintptr_t)dlsym(libc, "setuid");
	}
	come_to_a_peak();
	CHECK(set(0) && errno == EPERM);
	CHECK(!set(geteuid()));
	come_to_a_peak();
	compare_rights("a user's setuid");
}

static void users_are_refused(void)
{
	expect_success(try_to_change_user, NULL, "a user's setuid");
	expect_success(try_to_change_user, "past", "a user's setuid, past the library");
}

/* By the function of libc's own handle, which the library does not see. */
static void change_user_past(void *unused)
{
	void *libc = dlopen("libc.so.6", RTLD_LAZY);
	int (*set)(uid_t uid);

	(void)unused;
	if (geteuid() || !libc)
		_exit(77);
	set = (int (*)(uid_t uid))(uintptr_t)dlsym(libc, "setuid");
	come_to_a_peak();
	CHECK(!set(NOBODY));
	CHECK(geteuid() == NOBODY);
	compare_rights("setuid past the library");
	come_to_a_peak();
}

static void unseen_call_works(void)
{
	expect_success(change_user_past, NULL, "setuid past the library");
}

/*
 * By libpsx, which makes each thread that it knows of do the call. Its newer versions signal all
 * threads in /proc/self/task, and wait for their answers.
 */
static void change_user_by_psx(void *unused)
{
	void *psx = dlopen("libpsx.so.2", RTLD_NOW);
	long (*call)(long nr, long a, long b, long c);

	(void)unused;
	if (geteuid() || !psx)
		_exit(77);
	call = (__typeof__(call))(uintptr_t)dlsym(psx, "psx_syscall3");
	REQUIRE(call);
	come_to_a_peak();
	CHECK(!call(SYS_setresgid, NOBODY, NOBODY, NOBODY));
	CHECK(!call(SYS_setresuid, NOBODY, NOBODY, NOBODY));
	CHECK(getegid() == NOBODY && geteuid() == NOBODY);
	compare_rights("libpsx");
	come_to_a_peak();
	compare_rights("libpsx");
}

static void libpsx_changes_all_threads(void)
{
	expect_success(change_user_by_psx, NULL, "libpsx");
}

/* no_new_privs ends the thread for good, so a filter for all threads meets no other one. */
static void enter_sandbox(void *unused)
{
	struct sock_filter code[] = { BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	struct sock_fprog program = { ARRAY_SIZE(code), code };

	(void)unused;
	come_to_a_peak();
	REQUIRE(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	CHECK(!syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program));
	CHECK(nr_threads() == 1);
}

static void filter_for_all_threads(void)
{
	expect_success(enter_sandbox, NULL, "a filter for all threads");
}

/* --- unshare(2) and setns(2) --------------------------------------------------------- */

static void leave_namespaces(void *unused)
{
	int fd;

	(void)unused;
	come_to_a_peak();
	fd = open("/proc/self/ns/uts", O_RDONLY | O_CLOEXEC);
	if (unshare(CLONE_NEWUTS))
		_exit(77);
	sleep_us(NEXT_THREAD_US);
	come_to_a_peak();
	CHECK(fd >= 0 && !setns(fd, CLONE_NEWUTS));
	sleep_us(NEXT_THREAD_US);
	come_to_a_peak();
	/* The kernel refuses this call to a process with several threads. */
	if (unshare(CLONE_NEWUSER)) {
		CHECK(errno != EINVAL, "; a thread is there");
		_exit(77);
	}
	sleep_us(NEXT_THREAD_US);
	come_to_a_peak();
	compare_rights("unshare");
}

static void namespaces_are_left(void)
{
	expect_success(leave_namespaces, NULL, "unshare");
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "thread_has_no_more", thread_has_no_more, true },
		{ "calls_for_all_threads", calls_for_all_threads, true },
		{ "users_are_refused", users_are_refused, true },
		{ "unseen_call_works", unseen_call_works, true },
		{ "libpsx_changes_all_threads", libpsx_changes_all_threads, true },
		{ "filter_for_all_threads", filter_for_all_threads, true },
		{ "namespaces_are_left", namespaces_are_left, true },
	};

	return harness_main(argc, argv, cases, ARRAY_SIZE(cases));
}
