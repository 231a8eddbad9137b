// SPDX-License-Identifier: MIT
/* A live process: process_vm_readv(2), /proc/PID and, for moments, ptrace(2). */
#define _GNU_SOURCE
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/atomic.h"
#include "target/target.h"

#define PAGE_BYTES 4096UL
/* At most this many parts in a system call. */
#define PARTS_MAX 512
/* Bits of an entry of /proc/PID/pagemap. */
#define PAGEMAP_PRESENT (1UL << 63)
#define PAGEMAP_SWAPPED (1UL << 62)
/* Linux's PF_KTHREAD, in the field `flags` of /proc/PID/stat. */
#define PROCESS_OF_KERNEL 0x00200000u
/* How long all threads may take to stop. One that waits for a disk does not stop at all. */
#define STOP_NS 10000000UL
#define PAUSED_PRIORITY (-20)
/* So often new threads are looked for. A program may make them all the time. */
#define ROUNDS_MAX 64
/* If a signal did not come, it is looked after this time. */
#define MOMENT_NS 1000000UL
/* How long a thread that did not stop in time is waited for when it shall go on. */
#define LATE_NS 1000000000UL

struct live {
	int priority;		/* of this program, before a pause */
	int pagemap;		/* -1: cannot be read */
	int folder;		/* /proc/PID of this process, even if its number is reused */
	pid_t reader;		/* the thread through which memory is read */
	pid_t *traced;		/* threads that ptrace holds */
	size_t nr_traced;
	uint64_t paused_at;	/* when the first thread was told to stop; 0: none is */
	bool is_pausing;
	struct sigaction action;	/* of SIGCHLD, before a pause */
	sigset_t signals;	/* that were blocked before */
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000UL + (uint64_t)now.tv_nsec;
}

/* --- Files of /proc/PID ------------------------------------------------------------ */

static int open_in(struct target *target, const char *name)
{
	struct live *live = target->own;

	return openat(live->folder, name, O_RDONLY | O_CLOEXEC);
}

/* Reads a short file. False if that is impossible. */
static bool read_in(struct target *target, const char *name, char *text, size_t bytes)
{
	int file = open_in(target, name);
	ssize_t got = file < 0 ? -1 : read(file, text, bytes - 1);

	if (file >= 0)
		close(file);
	if (got < 0)
		return false;
	text[got] = '\0';
	return true;
}

/* Opens a file that tells of memory. */
static int open_of_reader(struct target *target, const char *name)
{
	struct live *live = target->own;
	char path[64];

	snprintf(path, sizeof(path), "task/%d/%s", live->reader, name);
	return open_in(target, path);
}

/* What the file `stat` says behind the thread's name, which may have any letter. NULL: nothing. */
static char *read_stat(struct target *target, pid_t id, char text[512])
{
	char name[64], *end;

	snprintf(name, sizeof(name), "task/%d/stat", id);
	if (!read_in(target, name, text, 512))
		return NULL;
	end = strrchr(text, ')');
	return end && end[1] == ' ' ? end + 2 : NULL;
}

static bool has_ended(struct target *target, pid_t id)
{
	char text[512];
	const char *stat = read_stat(target, id, text);

	return !stat || *stat == 'Z' || *stat == 'X';
}

static bool is_kernel_thread(struct target *target)
{
	char text[512];
	const char *stat = read_stat(target, target->pid, text);
	unsigned int flags;

	return stat && sscanf(stat, "%*c %*d %*d %*d %*d %*d %u", &flags) == 1 &&
	       flags & PROCESS_OF_KERNEL;
}

/* --- What the system refuses ------------------------------------------------------- */

static int read_yama(void)
{
	FILE *file = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	int scope = 0;

	if (file && fscanf(file, "%d", &scope) != 1)
		scope = 0;
	if (file)
		fclose(file);
	return scope;
}

/* A number of the file `status`, as "Uid:"; -1 if there is none. */
static long read_status(struct target *target, const char *name)
{
	char text[1024], *line;
	long number;

	if (!read_in(target, "status", text, sizeof(text)))
		return -1;
	line = strstr(text, name);
	return line && sscanf(line + strlen(name), "%ld", &number) == 1 ? number : -1;
}

/* What forbids it, and what helps. */
static const char *name_permission(struct target *target, char text[128])
{
	long scope = read_yama(), owner = read_status(target, "\nUid:");

	if (geteuid() && owner >= 0 && owner != (long)geteuid())
		return "it belongs to another user; run this as root";
	if (geteuid() && scope == 1)
		return "kernel.yama.ptrace_scope is 1; run this as root, or set it to 0 by sysctl";
	if (scope < 2)
		return "it may not be dumped; run this as root, with CAP_SYS_PTRACE";
	snprintf(text, 128, "kernel.yama.ptrace_scope is %ld; %s", scope, scope == 2 ?
		 "run this as root, with CAP_SYS_PTRACE" : "nothing helps before the next boot");
	return text;
}

static enum inspect_status fail_permission(struct target *target)
{
	char text[128];

	return target_fail(target, INSPECT_NO_PERMISSION, "no permission to read process %d: %s",
			   target->pid, name_permission(target, text));
}

static enum inspect_status fail_ended(struct target *target)
{
	if (is_kernel_thread(target))
		return target_fail(target, INSPECT_NO_USERMM, "process %d (%s) is a thread of the "
				   "kernel", target->pid, target->command);
	return target_fail(target, INSPECT_ENDED, "process %d has ended", target->pid);
}

/* --- Bytes ------------------------------------------------------------------------- */

/* Calls fn for each thread until that returns false. */
static bool for_each_thread(struct target *target, bool (*fn)(struct target *target, pid_t id,
							      void *arg), void *arg)
{
	int descriptor = open_in(target, "task");
	DIR *folder = descriptor < 0 ? NULL : fdopendir(descriptor);
	struct dirent *entry;
	bool good = folder;

	while (good && (entry = readdir(folder)))
		if (*entry->d_name != '.')
			good = fn(target, (pid_t)atoi(entry->d_name), arg);
	if (folder)
		closedir(folder);
	else if (descriptor >= 0)
		close(descriptor);
	return good;
}

static bool is_no_reader(struct target *target, pid_t id, void *arg)
{
	pid_t *reader = arg;

	*reader = has_ended(target, id) ? 0 : id;
	return !*reader;
}

/*
 * Once the main thread has ended, memory is reached through another one only. False: there is no
 * other one.
 */
static bool change_reader(struct target *target)
{
	struct live *live = target->own;
	pid_t reader = 0;

	for_each_thread(target, is_no_reader, &reader);
	if (!reader || reader == live->reader)
		return false;
	atomic_store_relaxed(&live->reader, reader);
	if (live->pagemap >= 0)
		close(live->pagemap);
	live->pagemap = open_of_reader(target, "pagemap");
	return true;
}

/*
 * Reads up to PARTS_MAX pieces from number first on. The call stops at the first byte that it
 * cannot read. Returns how many pieces are done, the failed one included; 0 if the process is gone.
 */
static size_t read_some(pid_t reader, struct piece *pieces, size_t n, uint64_t *bytes_read)
{
	struct iovec local[PARTS_MAX], remote[PARTS_MAX];
	size_t nr = n < PARTS_MAX ? n : PARTS_MAX, done = 0;
	ssize_t got;

	for (size_t i = 0; i < nr; i++) {
		local[i] = (struct iovec){ pieces[i].to, pieces[i].bytes };
		remote[i] = (struct iovec){ (void *)pieces[i].address, pieces[i].bytes };
	}
	got = process_vm_readv(reader, local, nr, remote, nr, 0);
	if (got < 0 && errno != EFAULT)
		return 0;
	if (got > 0)
		*bytes_read += (uint64_t)got;
	for (; done < nr && got >= (ssize_t)pieces[done].bytes; done++)
		got -= (ssize_t)pieces[done].bytes;
	if (done < nr)
		pieces[done++].failed = true;
	return done;
}

static enum inspect_status live_read(struct target *target, struct piece *pieces, size_t n)
{
	struct live *live = target->own;

	for (size_t at = 0, done; at < n; at += done) {
		target->nr_reads++;
		done = read_some(live->reader, pieces + at, n - at, &target->bytes_read);
		if (!done && errno == ESRCH && change_reader(target))
			continue;
		if (!done)
			return errno == EPERM ? fail_permission(target) : fail_ended(target);
	}
	return INSPECT_OK;
}

/* Sync: live->reader, which change_reader() may write meanwhile; the old one fails then. */
static void live_read_beside(struct target *target, struct piece *pieces, size_t n)
{
	struct live *live = target->own;
	pid_t reader = atomic_load_relaxed(&live->reader);
	uint64_t bytes_read = 0;

	for (size_t at = 0, done; at < n; at += done) {
		done = read_some(reader, pieces + at, n - at, &bytes_read);
		if (!done)
			pieces[at + done++].failed = true;
	}
}

static bool live_present(struct target *target, uint64_t address, size_t pages, uint8_t *bits)
{
	struct live *live = target->own;
	uint64_t entries[512];

	if (live->pagemap < 0)
		return false;
	for (size_t at = 0; at < pages; at += 512) {
		size_t nr = pages - at < 512 ? pages - at : 512;
		off_t place = (off_t)((address / PAGE_BYTES + at) * sizeof(*entries));

		if (pread(live->pagemap, entries, nr * sizeof(*entries), place) !=
		    (ssize_t)(nr * sizeof(*entries)))
			return false;
		for (size_t i = 0; i < nr; i++) {
			bool has = entries[i] & (PAGEMAP_PRESENT | PAGEMAP_SWAPPED);
			uint8_t bit = (uint8_t)(1 << (at + i) % 8), *byte = &bits[(at + i) / 8];

			*byte = (uint8_t)(has ? *byte | bit : *byte & ~bit);
		}
	}
	return true;
}

/* --- /proc/PID --------------------------------------------------------------------- */

static bool add_line(struct target *target, char *line)
{
	struct range range = { 0 };
	char permissions[5];
	int used = 0;

	if (sscanf(line, "%lx-%lx %4s %lx %*s %*s %n", &range.start, &range.end, permissions,
		   &range.offset, &used) < 4)
		return true;
	line[strcspn(line, "\n")] = '\0';
	range.there_end = range.end;
	range.readable = permissions[0] == 'r';
	range.writable = permissions[1] == 'w';
	range.executable = permissions[2] == 'x';
	range.shared = permissions[3] == 's';
	range.is_stack = !strcmp(line + used, "[stack]");
	if (line[used]) {
		range.path = strdup(line + used);
		if (!range.path)
			return false;
	}
	return target_add_range(target, &range);
}

static enum inspect_status live_read_ranges(struct target *target)
{
	int descriptor = open_of_reader(target, "maps");
	FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "r");
	size_t room = 0;
	char *line = NULL;
	bool good = true;

	if (!file) {
		if (descriptor >= 0)
			close(descriptor);
		return errno == EACCES || errno == EPERM ? fail_permission(target) :
							   fail_ended(target);
	}
	while (good && getline(&line, &room, file) > 0)
		good = add_line(target, line);
	free(line);
	fclose(file);
	if (!good)
		return target_fail(target, INSPECT_NO_MEMORY, "no memory for the list of mappings");
	/* A process that has ended has an empty list, as has a kernel thread. */
	return target->nr_ranges ? INSPECT_OK : fail_ended(target);
}

/* --- Threads ----------------------------------------------------------------------- */

static bool add_run_time(struct target *target, pid_t id, void *arg)
{
	uint64_t *sum = arg, ns;
	char name[64], text[512], *state;

	state = read_stat(target, id, text);
	if (!state || *state == 'R')
		return false;
	snprintf(name, sizeof(name), "task/%d/schedstat", id);
	if (!read_in(target, name, text, sizeof(text)) || sscanf(text, "%lu", &ns) != 1)
		return false;
	*sum += ns;
	return true;
}

static uint64_t live_run_time(struct target *target)
{
	uint64_t sum = 0;

	return for_each_thread(target, add_run_time, &sum) ? sum : UINT64_MAX;
}

struct tracing {
	size_t new_ones;
	int error;		/* of ptrace() */
};

static bool is_traced(const struct live *live, pid_t id)
{
	for (size_t i = 0; i < live->nr_traced; i++)
		if (live->traced[i] == id)
			return true;
	return false;
}

/* 0, or what ptrace() says. The thread goes on. */
static int trace(struct target *target, pid_t id)
{
	struct live *live = target->own;
	pid_t *traced;

	/* One that was late the last time is still traced. */
	if (is_traced(live, id))
		return 0;
	traced = realloc(live->traced, (live->nr_traced + 1) * sizeof(*traced));
	if (!traced)
		return ENOMEM;
	live->traced = traced;
	if (ptrace(PTRACE_SEIZE, id, 0, 0))
		return has_ended(target, id) ? ESRCH : errno;
	traced[live->nr_traced++] = id;
	return 0;
}

static bool trace_thread(struct target *target, pid_t id, void *arg)
{
	struct tracing *tracing = arg;
	int error;

	for (size_t i = 0; i < target->nr_threads; i++)
		if (target->threads[i].id == id)
			return true;
	error = trace(target, id);
	if (error == ESRCH)	/* it has ended meanwhile */
		return true;
	if (!error && !target_add_thread(target, id))
		error = ENOMEM;
	tracing->error = error;
	tracing->new_ones++;
	return !error;
}

static void take_registers(struct thread *thread)
{
	uint64_t words[THREAD_WORDS];
	struct iovec part = { words, sizeof(words) };

	if (!ptrace(PTRACE_GETREGSET, thread->id, NT_PRSTATUS, &part))
		registers_take(thread, words, part.iov_len);
}

/* A thread that does not stop is in the kernel. The system tells where its stack ends. */
static void take_from_system(struct target *target, struct thread *thread)
{
	char name[64], text[512], *last;
	unsigned long stack, counter;

	snprintf(name, sizeof(name), "task/%d/syscall", thread->id);
	if (!read_in(target, name, text, sizeof(text)))
		return;
	last = strstr(text, " 0x");
	for (char *next = last; next; next = strstr(next + 1, " 0x"))
		if (sscanf(next, " 0x%lx 0x%lx", &stack, &counter) == 2) {
			thread->stack_pointer = stack;
			thread->program_counter = counter;
		}
}

/* Takes the threads that have stopped, or ended, since the last call. Returns how many. */
static size_t take_stopped(struct target *target)
{
	size_t nr = 0;
	int status;
	pid_t id;

	while ((id = waitpid(-1, &status, __WALL | WNOHANG)) > 0)
		for (size_t i = 0; i < target->nr_threads; i++) {
			struct thread *thread = &target->threads[i];

			if (thread->id != id || thread->stands)
				continue;
			thread->stands = true;
			nr++;
			if (WIFSTOPPED(status))
				take_registers(thread);
		}
	return nr;
}

/*
 * Sleeps until a thread has stopped, at most `ns` nanoseconds. A thread that waits for a processor
 * must run to stop, so this one must not.
 */
static void wait_for_child(uint64_t ns)
{
	struct timespec limit = { .tv_nsec = (long)(ns < MOMENT_NS ? ns : MOMENT_NS) };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigtimedwait(&set, NULL, &limit);
}

/* Stops the threads from number `first` on. Those that do not stand by then are left out. */
static void stop_threads(struct target *target, size_t first, uint64_t deadline)
{
	size_t left = target->nr_threads - first;
	uint64_t now;

	for (size_t i = first; i < target->nr_threads; i++)
		ptrace(PTRACE_INTERRUPT, target->threads[i].id, 0, 0);
	for (;;) {
		left -= take_stopped(target);
		now = now_ns();
		if (!left || now >= deadline)
			break;
		wait_for_child(deadline - now);
	}
	for (size_t i = first; i < target->nr_threads && left; i++)
		if (!target->threads[i].stands)
			take_from_system(target, &target->threads[i]);
}

/* Only a thread that has stopped can be let go. Waits for one that is late. */
static bool let_late_one_go(pid_t id, uint64_t deadline)
{
	int status;

	while (waitpid(id, &status, __WALL | WNOHANG) == 0) {
		if (now_ns() > deadline)
			return false;
		wait_for_child(MOMENT_NS);
	}
	ptrace(PTRACE_DETACH, id, 0, 0);
	return true;
}

/* While threads are stopped, SIGCHLD tells of them; and they wait for this program. */
static void begin_pause(struct live *live)
{
	struct sigaction usual = { .sa_handler = SIG_DFL };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaction(SIGCHLD, &usual, &live->action);
	sigprocmask(SIG_BLOCK, &set, &live->signals);
	/* Only root may raise a priority. */
	live->priority = getpriority(PRIO_PROCESS, 0);
	setpriority(PRIO_PROCESS, 0, PAUSED_PRIORITY);
	live->is_pausing = true;
}

static void end_pause(struct live *live)
{
	if (!live->is_pausing)
		return;
	setpriority(PRIO_PROCESS, 0, live->priority);
	wait_for_child(0);	/* takes a signal that still waits */
	sigprocmask(SIG_SETMASK, &live->signals, NULL);
	sigaction(SIGCHLD, &live->action, NULL);
	live->is_pausing = false;
}

static void live_resume(struct target *target)
{
	struct live *live = target->own;
	size_t late = 0;

	for (size_t i = 0; i < live->nr_traced; i++)
		if (ptrace(PTRACE_DETACH, live->traced[i], 0, 0))
			live->traced[late++] = live->traced[i];
	if (live->paused_at)
		target->paused_ns = now_ns() - live->paused_at;
	live->paused_at = 0;
	live->nr_traced = 0;
	for (size_t i = 0; i < late; i++)
		if (!let_late_one_go(live->traced[i], now_ns() + LATE_NS))
			live->traced[live->nr_traced++] = live->traced[i];
	end_pause(live);
}

static enum inspect_status fail_trace(struct target *target, int error)
{
	long tracer = read_status(target, "\nTracerPid:");

	live_resume(target);
	if (error == ENOMEM)
		return target_fail(target, INSPECT_NO_MEMORY, "no memory");
	if (tracer > 0)
		return target_fail(target, INSPECT_TRACED, "process %d cannot be paused: "
				   "process %ld traces it, as a debugger does; let that one "
				   "detach first", target->pid, tracer);
	return target_fail(target, INSPECT_NO_PERMISSION, "process %d cannot be paused: %s",
			   target->pid, strerror(error));
}

/*
 * The threads are traced before the first one is stopped: that takes time, but not theirs. New
 * threads may appear until all others stand.
 */
static enum inspect_status live_pause(struct target *target)
{
	struct live *live = target->own;
	size_t nr_stopped = 0;

	target->paused_ns = 0;
	begin_pause(live);
	for (unsigned int round = 0; round < ROUNDS_MAX; round++) {
		struct tracing tracing = { 0 };

		if (!for_each_thread(target, trace_thread, &tracing) && tracing.error)
			return fail_trace(target, tracing.error);
		/* Most new ones of the first round are seen by the second one. */
		if (!round)
			continue;
		if (target->nr_threads == nr_stopped)
			break;
		if (!live->paused_at)
			live->paused_at = now_ns();
		stop_threads(target, nr_stopped, live->paused_at + STOP_NS);
		nr_stopped = target->nr_threads;
	}
	return target->nr_threads ? INSPECT_OK : fail_ended(target);
}

/* --- Open and close ---------------------------------------------------------------- */

static void live_close(struct target *target)
{
	struct live *live = target->own;

	live_resume(target);
	free(live->traced);
	if (live->pagemap >= 0)
		close(live->pagemap);
	if (live->folder >= 0)
		close(live->folder);
	free(live);
}

static const struct target_ops live_ops = {
	.read = live_read,
	.read_beside = live_read_beside,
	.present = live_present,
	.read_ranges = live_read_ranges,
	.pause = live_pause,
	.resume = live_resume,
	.run_time = live_run_time,
	.close = live_close,
};

enum inspect_status live_open(struct target *target, pid_t pid)
{
	struct live *live = calloc(1, sizeof(*live));
	char path[32];
	ssize_t length;

	if (!live)
		return target_fail(target, INSPECT_NO_MEMORY, "no memory");
	snprintf(path, sizeof(path), "/proc/%d", pid);
	*live = (struct live){ .pagemap = -1, .folder = open(path, O_PATH | O_CLOEXEC),
			       .reader = pid };
	target->own = live;
	target->ops = &live_ops;
	target->pid = pid;
	snprintf(target->name, sizeof(target->name), "process %d", pid);
	if (live->folder < 0)
		return target_fail(target, INSPECT_NO_PROCESS, "there is no process %d", pid);
	if (read_in(target, "comm", target->command, sizeof(target->command)))
		target->command[strlen(target->command) - 1] = '\0';	/* the end of the line */
	length = readlinkat(live->folder, "exe", target->executable,
			    sizeof(target->executable) - 1);
	target->executable[length > 0 ? length : 0] = '\0';
	if (!has_ended(target, pid) || !change_reader(target))
		live->pagemap = open_of_reader(target, "pagemap");
	return INSPECT_OK;
}
