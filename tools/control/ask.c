// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "control/ask.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/options.h"
#include "target/find_layout.h"

#define NS_PER_SECOND 1000000000UL
/* An answer mostly takes less than the first pause. Pauses grow. */
#define PAUSE_NS_MIN 100000UL
#define PAUSE_NS_MAX 10000000UL
/* In /proc/PID/comm: the name of this program, by which it knows other requesters. */
#define OWN_NAME "usermm-inspect\n"
/* Lines of /proc/PID/status that are read: at most 32 numbers, as deep as namespaces nest. */
#define STATUS_BYTES 400

struct asker {
	struct target *target;
	struct layout layout;
	pid_t thread;			/* the thread that answers, traced; 0: none is */
	int trace_error;		/* of the last PTRACE_SEIZE */
	int write_error;		/* of process_vm_writev(2), unless the thread had ended */
	double seconds;			/* how long to wait */
	uint64_t end_ns;		/* until when */
	uint64_t pause_ns;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

/* False if the time is up. */
static bool pause_a_moment(struct asker *asker)
{
	struct timespec time = { .tv_nsec = (long)asker->pause_ns };

	if (now_ns() >= asker->end_ns)
		return false;
	nanosleep(&time, NULL);
	asker->pause_ns = asker->pause_ns * 2 < PAUSE_NS_MAX ? asker->pause_ns * 2 : PAUSE_NS_MAX;
	return true;
}

/* --- Files of /proc ----------------------------------------------------------------- */

/* Opens a file of the process's folder, or of a thread's. NULL if there is none. */
static FILE *open_file(pid_t pid, pid_t thread, const char *name)
{
	char path[64];

	if (thread)
		snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", pid, thread, name);
	else
		snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return fopen(path, "re");
}

/* Reads the file's start. False if there is none. */
static bool read_file(pid_t pid, const char *name, char *text, size_t bytes)
{
	FILE *file = open_file(pid, 0, name);
	size_t got = 0;

	if (file) {
		got = fread(text, 1, bytes - 1, file);
		fclose(file);
	}
	text[got] = '\0';
	return got;
}

/*
 * Reads the line of the file `status` that begins with the name: what stands behind that. False if
 * there is no such line. The line of groups may be as long as a MiB.
 */
static bool read_status(pid_t pid, pid_t thread, const char *name, char line[STATUS_BYTES])
{
	FILE *file = open_file(pid, thread, "status");
	bool at_start = true, found = false;
	size_t length = strlen(name);

	while (file && !found && fgets(line, STATUS_BYTES, file)) {
		found = at_start && !strncmp(line, name, length);
		at_start = strchr(line, '\n');
	}
	if (file)
		fclose(file);
	if (found)
		memmove(line, line + length, strlen(line + length) + 1);
	return found;
}

/* The number by which a thread, or the process, knows itself: in its own namespace. */
static uint32_t own_number(pid_t pid, pid_t thread)
{
	char numbers[STATUS_BYTES];
	const char *last;

	if (!read_status(pid, thread, "NSpid:", numbers) &&
	    !read_status(pid, thread, "Pid:", numbers))
		return 0;
	last = strrchr(numbers, '\t');
	return last ? (uint32_t)strtoul(last, NULL, 10) : 0;
}

/* A number of the file `status`; 0: there is none. */
static long status_number(pid_t pid, pid_t thread, const char *name)
{
	char number[STATUS_BYTES];

	return read_status(pid, thread, name, number) ? strtol(number, NULL, 10) : 0;
}

/* The letter of the process's state; 0: there is none. */
static char state_of(pid_t pid)
{
	char state[STATUS_BYTES];

	return read_status(pid, 0, "State:\t", state) ? *state : 0;
}

static bool has_raised_rights(pid_t pid)
{
	Elf64_auxv_t entries[64];
	char text[sizeof(entries) + 1];

	if (!read_file(pid, "auxv", text, sizeof(text)))
		return false;
	memcpy(entries, text, sizeof(entries));
	for (size_t i = 0; i < sizeof(entries) / sizeof(*entries); i++)
		if (entries[i].a_type == AT_SECURE)
			return entries[i].a_un.a_val;
		else if (entries[i].a_type == AT_NULL)
			break;
	return false;
}

/* --- Why there is no answer ---------------------------------------------------------- */

static enum inspect_status fail_ended(struct asker *asker)
{
	pid_t pid = asker->target->pid;
	char state = state_of(pid);

	if (!state || state == 'Z' || state == 'X')
		return target_fail(asker->target, INSPECT_ENDED, "process %d has ended", pid);
	return target_fail(asker->target, INSPECT_ENDED, "process %d has ended, or executes "
			   "another program now; ask again", pid);
}

static enum inspect_status fail_stopped(struct asker *asker)
{
	return target_fail(asker->target, INSPECT_NO_REQUESTS, "process %d is stopped; `kill -CONT "
			   "%d` lets it go on", asker->target->pid, asker->target->pid);
}

static enum inspect_status fail_not_wanted(struct asker *asker)
{
	pid_t pid = asker->target->pid;

	if (has_raised_rights(pid))
		return target_fail(asker->target, INSPECT_NO_REQUESTS, "process %d has raised "
				   "privileges (setuid, or file capabilities), so it ignores "
				   "USERMM_OPTIONS and takes no requests", pid);
	return target_fail(asker->target, INSPECT_NO_REQUESTS, "process %d takes no requests; "
			   "start it with control=on, as in `usermm run -o control=on -- %s`", pid,
			   asker->target->command);
}

static enum inspect_status fail_no_thread(struct asker *asker)
{
	pid_t pid = asker->target->pid;

	if (asker->trace_error)
		return target_fail(asker->target, INSPECT_NO_PERMISSION, "the thread of process %d "
				   "that answers cannot be traced: %s", pid,
				   strerror(asker->trace_error));
	return target_fail(asker->target, INSPECT_NO_REQUESTS, "process %d has no thread that "
			   "answers: background=off, a limit (RLIMIT_NPROC), unshare(CLONE_NEWPID) "
			   "or a sandbox of the program forbids it, or the process comes from "
			   "clone(2)", pid);
}

static enum inspect_status fail_write(struct asker *asker)
{
	return target_fail(asker->target, INSPECT_NO_PERMISSION, "cannot write a request to "
			   "process %d: process_vm_writev(2): %s; a seccomp filter, as containers "
			   "have, may forbid it: run this on the host", asker->target->pid,
			   strerror(asker->write_error));
}

static enum inspect_status fail_traced(struct asker *asker, long tracer)
{
	return target_fail(asker->target, INSPECT_TRACED, "process %d cannot answer: process %ld "
			   "traces it, as a debugger does; let that one detach first",
			   asker->target->pid, tracer);
}

static enum inspect_status fail_time(struct asker *asker)
{
	if (state_of(asker->target->pid) == 'T')
		return fail_stopped(asker);
	return target_fail(asker->target, INSPECT_TIME_UP, "process %d has not answered within %g "
			   "seconds; it may still carry the request out. --wait takes more",
			   asker->target->pid, asker->seconds);
}

/* --- The thread that answers ---------------------------------------------------------- */

static uint64_t block_address(const struct asker *asker)
{
	return asker->layout.addresses[LAYOUT_AT_control_request];
}

/* Both name the traced thread, not the process: see control_request.h. */
static bool get(const struct asker *asker, uint64_t address, void *to, size_t bytes)
{
	struct iovec local = { to, bytes }, remote = { (void *)address, bytes };

	return process_vm_readv(asker->thread, &local, 1, &remote, 1, 0) == (ssize_t)bytes;
}

static bool put(struct asker *asker, uint64_t address, const void *from, size_t bytes)
{
	struct iovec local = { (void *)from, bytes }, remote = { (void *)address, bytes };
	ssize_t got = process_vm_writev(asker->thread, &local, 1, &remote, 1, 0);

	asker->write_error = got < 0 && errno != ESRCH ? errno : 0;
	return got == (ssize_t)bytes;
}

/* The thread's number here; 0: there is no such thread. */
static pid_t find_thread(const struct asker *asker, uint32_t number)
{
	char path[32];
	struct dirent *entry;
	pid_t found = 0;
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/task", asker->target->pid);
	folder = opendir(path);
	while (folder && !found && (entry = readdir(folder))) {
		pid_t thread = (pid_t)atoi(entry->d_name);

		if (thread > 0 && own_number(asker->target->pid, thread) == number)
			found = thread;
	}
	if (folder)
		closedir(folder);
	return found;
}

/*
 * Is the tracer a debugger, which may stay for long? Another requester ends soon, so waiting helps.
 * A requester's number may belong to another process by the time the name is read. So a debugger
 * must still be the tracer after that.
 */
static bool is_debugger(pid_t pid, pid_t thread, long tracer)
{
	char name[32];

	return read_file((pid_t)tracer, "comm", name, sizeof(name)) && strcmp(name, OWN_NAME) &&
	       status_number(pid, thread, "TracerPid:") == tracer;
}

/* Becomes the thread's tracer if there is a thread, and nobody else is. */
static enum inspect_status try_to_trace(struct asker *asker)
{
	struct target *target = asker->target;
	struct control_request block;
	pid_t thread;
	long tracer;
	int error;

	if (state_of(target->pid) == 'T')
		return fail_stopped(asker);
	if (!target_read(target, block_address(asker), &block, sizeof(block)))
		return target->status != INSPECT_OK ? target->status : fail_ended(asker);
	if (!block.process || block.process != own_number(target->pid, 0))
		return INSPECT_OK;
	thread = find_thread(asker, block.thread);
	if (!thread)
		return INSPECT_OK;
	if (!ptrace(PTRACE_SEIZE, thread, 0, 0)) {
		asker->thread = thread;
		return INSPECT_OK;
	}
	error = errno;
	tracer = status_number(target->pid, thread, "TracerPid:");
	if (tracer && is_debugger(target->pid, thread, tracer))
		return fail_traced(asker, tracer);
	asker->trace_error = tracer || error == ESRCH ? 0 : error;
	return INSPECT_OK;
}

/* In the end asker->thread is traced, or the result is a failure. */
static enum inspect_status trace(struct asker *asker)
{
	enum inspect_status status;

	do {
		status = try_to_trace(asker);
		if (status != INSPECT_OK || asker->thread)
			return status;
	} while (pause_a_moment(asker));
	return fail_no_thread(asker);
}

/* After a stop the thread goes on, unless the whole process was stopped (SIGSTOP). */
static void let_go_on(pid_t thread, int status)
{
	int signal = WSTOPSIG(status);

	if (status >> 16 != PTRACE_EVENT_STOP)
		ptrace(PTRACE_CONT, thread, 0, signal);
	else if (signal == SIGTRAP)
		ptrace(PTRACE_CONT, thread, 0, 0);
	else
		ptrace(PTRACE_LISTEN, thread, 0, 0);
}

/* Waits for the thread as its tracer must: lets it go on after a stop, and notes its end. */
static void take_changes(struct asker *asker)
{
	int status;

	while (asker->thread) {
		pid_t got = waitpid(asker->thread, &status, __WALL | WNOHANG);

		if (!got)
			return;
		if (got > 0 && WIFSTOPPED(status))
			let_go_on(asker->thread, status);
		else
			asker->thread = 0;
	}
}

/* The thread looks for a request before it sleeps the next time, or when wake() interrupts it. */
static void tell(struct asker *asker)
{
	uint64_t requests = asker->layout.addresses[LAYOUT_AT_background_requests];
	uint32_t word;

	if (get(asker, requests, &word, sizeof(word))) {
		word += CONTROL_REQUEST_WAKE;
		put(asker, requests, &word, sizeof(word));
	}
}

/* If the thread sleeps, makes it see that it was told of a request. */
static void wake(struct asker *asker)
{
	uint32_t sleeping;

	if (get(asker, asker->layout.addresses[LAYOUT_AT_background_sleeping], &sleeping,
		sizeof(sleeping)) && sleeping)
		ptrace(PTRACE_INTERRUPT, asker->thread, 0, 0);
}

/*
 * Waits until the request of this number was carried out; NULL: the last request that was written.
 * The thread may end meanwhile; then this traces the next one.
 */
static enum inspect_status wait_for_answer(struct asker *asker, const uint32_t *number,
					   struct control_request *block)
{
	/* A requester that was killed may have left a request and told the thread nothing. */
	bool is_told = number;

	asker->pause_ns = PAUSE_NS_MIN;
	do {
		enum inspect_status status = asker->thread ? INSPECT_OK : trace(asker);

		if (status != INSPECT_OK)
			return status;
		if (get(asker, block_address(asker), block, sizeof(*block)) &&
		    (int32_t)(block->answered - (number ? *number : block->asked)) >= 0)
			return INSPECT_OK;
		if (!is_told)
			tell(asker);
		is_told = true;
		wake(asker);
		take_changes(asker);
	} while (pause_a_moment(asker));
	return fail_time(asker);
}

/* --- Requests ------------------------------------------------------------------------- */

/* False: the thread has ended, or asker->write_error is set. */
static bool write_request(struct asker *asker, const struct request *request, uint32_t number)
{
	struct control_request block = { .access = request->access, .value = request->value };
	const size_t start = offsetof(struct control_request, access);

	snprintf(block.name, sizeof(block.name), "%s", request->name);
	if (!put(asker, block_address(asker) + start, (char *)&block + start,
		 sizeof(block) - start) ||
	    !put(asker, block_address(asker) + offsetof(struct control_request, asked), &number,
		 sizeof(number)))
		return false;
	/* If the thread ends now, the next thread finds the request when it begins. */
	tell(asker);
	return true;
}

enum inspect_status asker_ask(struct asker *asker, struct request *request, double seconds)
{
	enum inspect_status status;
	struct control_request block;
	uint32_t number;

	asker->seconds = seconds;
	asker->end_ns = now_ns() + (uint64_t)(seconds * NS_PER_SECOND);
	do {
		status = wait_for_answer(asker, NULL, &block);
		if (status != INSPECT_OK)
			return status;
		number = block.asked + 1;
		if (write_request(asker, request, number))
			break;
		if (asker->write_error)
			return fail_write(asker);
		take_changes(asker);
	} while (pause_a_moment(asker));
	status = wait_for_answer(asker, &number, &block);
	if (status != INSPECT_OK)
		return status;
	if (block.answered != number)
		return target_fail(asker->target, INSPECT_TIME_UP, "process %d has carried the "
				   "request out, but another requester came before its answer; ask "
				   "again", asker->target->pid);
	request->error = block.error;
	request->value = block.value;
	return INSPECT_OK;
}

/* Does the process take requests, and in the form that this program writes? */
static enum inspect_status check(struct asker *asker)
{
	struct target *target = asker->target;
	const struct layout *layout = &asker->layout;
	long process = status_number(target->pid, 0, "Tgid:");
	unsigned long wanted;

	if (process && process != target->pid)
		return target_fail(target, INSPECT_NO_PROCESS, "%d is a thread of process %ld; ask "
				   "that one", target->pid, process);
	if (!block_address(asker))
		return target_fail(target, INSPECT_NO_REQUESTS, "process %d has no malloc of "
				   "usermm's, which has the controls", target->pid);
	if (layout->values[LAYOUT_sizeof_control_request] != sizeof(struct control_request))
		return target_fail(target, INSPECT_OTHER_VERSION, "%s: the layout note of %s is "
				   "damaged", target->name, layout->library);
	if (!target_read(target, layout->addresses[LAYOUT_AT_options] +
			 offsetof(struct options, control), &wanted, sizeof(wanted)))
		return target->status != INSPECT_OK ? target->status : fail_ended(asker);
	return wanted == OPTION_CONTROL_ON ? INSPECT_OK : fail_not_wanted(asker);
}

struct asker *asker_open(const char *pid, enum inspect_status *status,
			 char error[INSPECT_TEXT_BYTES])
{
	struct target *target = target_open(pid, status, error);
	struct asker *asker = target ? calloc(1, sizeof(*asker)) : NULL;

	if (!target)
		return NULL;
	if (!asker) {
		snprintf(error, INSPECT_TEXT_BYTES, "no memory");
		*status = INSPECT_NO_MEMORY;
		target_close(target);
		return NULL;
	}
	asker->target = target;
	*status = layout_find(target, &asker->layout);
	if (*status == INSPECT_OK)
		*status = check(asker);
	if (*status == INSPECT_OK)
		return asker;
	snprintf(error, INSPECT_TEXT_BYTES, "%s", target->error);
	asker_close(asker);
	return NULL;
}

void asker_close(struct asker *asker)
{
	if (!asker)
		return;
	target_close(asker->target);
	free(asker);
}

const char *asker_error(const struct asker *asker)
{
	return asker->target->error;
}

pid_t asker_process(const struct asker *asker)
{
	return asker->target->pid;
}
