// SPDX-License-Identifier: MIT
/* A live process: process_vm_readv(2) and /proc/PID. live_pause.c stops its threads. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/atomic.h"
#include "target/live.h"

#define PAGE_BYTES 4096UL
/* At most this many parts in a system call. */
#define PARTS_MAX 512
/* Bits of an entry of /proc/PID/pagemap. */
#define PAGEMAP_PRESENT (1UL << 63)
#define PAGEMAP_SWAPPED (1UL << 62)
/* Linux's PF_KTHREAD, in the field `flags` of /proc/PID/stat. */
#define PROCESS_OF_KERNEL 0x00200000u

/* --- Files of /proc/PID ------------------------------------------------------------ */

static int open_in(struct target *target, const char *name)
{
	struct live *live = target->own;

	return openat(live->folder, name, O_RDONLY | O_CLOEXEC);
}

/* Reads a short file. False if that is impossible. */
bool live_read_file(struct target *target, const char *name, char *text, size_t bytes)
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
	if (!live_read_file(target, name, text, 512))
		return NULL;
	end = strrchr(text, ')');
	return end && end[1] == ' ' ? end + 2 : NULL;
}

bool live_thread_has_ended(struct target *target, pid_t id)
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
long live_read_status(struct target *target, const char *name)
{
	char text[1024], *line;
	long number;

	if (!live_read_file(target, "status", text, sizeof(text)))
		return -1;
	line = strstr(text, name);
	return line && sscanf(line + strlen(name), "%ld", &number) == 1 ? number : -1;
}

/* What forbids it, and what helps. */
static const char *name_permission(struct target *target, char text[128])
{
	long scope = read_yama(), owner = live_read_status(target, "\nUid:");

	if (geteuid() && owner >= 0 && owner != (long)geteuid())
		return "it belongs to another user; run this as root";
	if (geteuid() && scope == 1)
		return "kernel.yama.ptrace_scope is 1; run this as root, or set it to 0 by sysctl";
	if (scope < 2)
		return "it may not be dumped; run this as root, with CAP_SYS_PTRACE, and without a "
		       "seccomp filter that forbids process_vm_readv(2)";
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

enum inspect_status live_fail_ended(struct target *target)
{
	if (is_kernel_thread(target))
		return target_fail(target, INSPECT_NO_USERMM, "process %d (%s) is a thread of the "
				   "kernel", target->pid, target->command);
	return target_fail(target, INSPECT_ENDED, "process %d has ended", target->pid);
}

/* After process_vm_readv(2), which has set errno. */
static enum inspect_status fail_read(struct target *target)
{
	if (errno == ESRCH)
		return live_fail_ended(target);
	if (errno == EPERM)
		return fail_permission(target);
	return target_fail(target, INSPECT_NO_PERMISSION, "cannot read process %d: "
			   "process_vm_readv(2): %s; a seccomp filter or this kernel's "
			   "configuration forbids it", target->pid, strerror(errno));
}

/* --- Bytes ------------------------------------------------------------------------- */

/* Calls fn for each thread until that returns false. */
bool live_for_each_thread(struct target *target, bool (*fn)(struct target *target, pid_t id,
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

	*reader = live_thread_has_ended(target, id) ? 0 : id;
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

	live_for_each_thread(target, is_no_reader, &reader);
	if (!reader || reader == live->reader)
		return false;
	atomic_store_relaxed(&live->reader, reader);
	if (live->pagemap >= 0)
		close(live->pagemap);
	live->pagemap = open_of_reader(target, "pagemap");
	return true;
}

/*
 * Reads the n pieces, at most PARTS_MAX. The call stops at the first byte that it
 * cannot read. Returns how many pieces are done, the failed one included; 0 if the process is gone.
 */
static size_t read_some(pid_t reader, struct piece *pieces, size_t n, uint64_t *bytes_read)
{
	struct iovec local[PARTS_MAX], remote[PARTS_MAX];
	size_t done = 0;
	ssize_t got;

	for (size_t i = 0; i < n; i++) {
		local[i] = (struct iovec){ pieces[i].to, pieces[i].bytes };
		remote[i] = (struct iovec){ (void *)pieces[i].address, pieces[i].bytes };
	}
	got = process_vm_readv(reader, local, n, remote, n, 0);
	if (got < 0 && errno != EFAULT)
		return 0;
	if (got > 0)
		*bytes_read += (uint64_t)got;
	for (; done < n && got >= (ssize_t)pieces[done].bytes; done++)
		got -= (ssize_t)pieces[done].bytes;
	if (done < n)
		pieces[done++].failed = true;
	return done;
}

/*
 * How many pieces the next call takes, if the last one took `most` and ended with the piece `last`.
 * The kernel looks at all pieces of a call, though it stops at the first that fails. So after a
 * failure a call takes one, and then twice as many each time: where thousands of pieces fail, as in
 * damaged memory, each is looked at about once.
 */
static size_t next_most(size_t most, const struct piece *last)
{
	if (last->failed)
		return 1;
	return most < PARTS_MAX / 2 ? 2 * most : PARTS_MAX;
}

static enum inspect_status live_read(struct target *target, struct piece *pieces, size_t n)
{
	struct live *live = target->own;
	size_t most = PARTS_MAX;

	for (size_t at = 0, done; at < n; at += done) {
		target->nr_reads++;
		done = read_some(live->reader, pieces + at, n - at < most ? n - at : most,
				 &target->bytes_read);
		if (!done && errno == ESRCH && change_reader(target))
			continue;
		if (!done)
			return fail_read(target);
		most = next_most(most, &pieces[at + done - 1]);
	}
	return INSPECT_OK;
}

/* Sync: live->reader, which change_reader() may write meanwhile; the old one fails then. */
static void live_read_beside(struct target *target, struct piece *pieces, size_t n)
{
	struct live *live = target->own;
	pid_t reader = atomic_load_relaxed(&live->reader);
	uint64_t bytes_read = 0;
	size_t most = PARTS_MAX;

	for (size_t at = 0, done; at < n; at += done) {
		done = read_some(reader, pieces + at, n - at < most ? n - at : most, &bytes_read);
		if (!done)
			pieces[at + done++].failed = true;
		most = next_most(most, &pieces[at + done - 1]);
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
							   live_fail_ended(target);
	}
	while (good && getline(&line, &room, file) > 0)
		good = add_line(target, line);
	free(line);
	fclose(file);
	if (!good)
		return target_fail(target, INSPECT_NO_MEMORY, "no memory for the list of mappings");
	/* A process that has ended has an empty list, as has a kernel thread. */
	return target->nr_ranges ? INSPECT_OK : live_fail_ended(target);
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
	if (!live_read_file(target, name, text, sizeof(text)) || sscanf(text, "%lu", &ns) != 1)
		return false;
	*sum += ns;
	return true;
}

static uint64_t live_run_time(struct target *target)
{
	uint64_t sum = 0;

	return live_for_each_thread(target, add_run_time, &sum) ? sum : UINT64_MAX;
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
	if (live_read_file(target, "comm", target->command, sizeof(target->command)))
		target->command[strlen(target->command) - 1] = '\0';	/* the end of the line */
	length = readlinkat(live->folder, "exe", target->executable,
			    sizeof(target->executable) - 1);
	target->executable[length > 0 ? length : 0] = '\0';
	if (!live_thread_has_ended(target, pid) || !change_reader(target))
		live->pagemap = open_of_reader(target, "pagemap");
	return INSPECT_OK;
}
