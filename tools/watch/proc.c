// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "watch/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "usermm/command.h"
#include "usermm/say.h"

#define FILE_BYTES 8192

/* Reads a file of the folder as a text. False: it cannot be read, for the process has ended. */
static bool read_text(int folder, const char *name, char text[FILE_BYTES])
{
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
	ssize_t length;

	if (fd < 0)
		return false;
	length = read(fd, text, FILE_BYTES - 1);
	close(fd);
	if (length <= 0)
		return false;
	text[length] = '\0';
	return true;
}

/* Likewise a file `status`, without its line of groups, which may be as long as a MiB. */
static bool read_lines(int folder, const char *name, char text[FILE_BYTES])
{
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	bool at_start = true, skips = false;
	size_t used = 0;

	while (file && fgets(text + used, (int)(FILE_BYTES - used), file)) {
		size_t length = strlen(text + used);

		if (at_start)
			skips = !strncmp(text + used, "Groups:", strlen("Groups:"));
		at_start = text[used + length - 1] == '\n';
		used += skips ? 0 : length;
	}
	if (file)
		fclose(file);
	else if (fd >= 0)
		close(fd);
	text[used] = '\0';
	return used;
}

/* "VmRSS:	  123 kB" in bytes, "Threads:	4" as it is; 0 if there is no such line. */
static unsigned long line_of(const char *status, const char *name, unsigned long scale)
{
	const char *line = strstr(status, name);

	return line ? strtoul(line + strlen(name), NULL, 10) * scale : 0;
}

static double boot_seconds(void)
{
	char line[256];
	double seconds = 0;
	FILE *file = fopen("/proc/stat", "re");

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, "btime ", 6))
			seconds = strtod(line + 6, NULL);
	if (file)
		fclose(file);
	return seconds;
}

/* The fields of /proc/PID/stat that are numbers, from the third on (proc_pid_stat(5)). */
static bool read_stat(const char *stat, struct proc_numbers *numbers)
{
	unsigned long minor, major, user, system, threads;
	unsigned long long start;
	/* The second is the name, which may have brackets and spaces. */
	const char *at = strrchr(stat, ')');
	double hz = (double)sysconf(_SC_CLK_TCK);
	char state;

	if (!at || sscanf(at + 1, " %c %*d %*d %*d %*d %*d %*u %lu %*u %lu %*u %lu %lu %*d %*d "
				  "%*d %*d %lu %*d %llu", &state, &minor, &major, &user, &system,
			  &threads, &start) != 7)
		return false;
	numbers->faults = minor + major;
	numbers->cpu_seconds = (double)(user + system) / hz;
	numbers->start_seconds = boot_seconds() + (double)start / hz;
	/* Alone, a zombie has no memory any more. Else only the main thread has ended. */
	return state != 'X' && (state != 'Z' || threads > 1);
}

static bool read_memory(int folder, const char *name, char text[FILE_BYTES])
{
	return read_lines(folder, name, text) && strstr(text, "\nVmRSS:");
}

/*
 * The status of a thread that still has memory: of the main thread, or of another one, if that has
 * ended. A thread of the kernel never has any.
 */
static bool read_status(const struct proc *proc, char text[FILE_BYTES])
{
	bool found = read_memory(proc->folder, "status", text);
	int folder = found ? -1 : openat(proc->folder, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *tasks = folder >= 0 ? fdopendir(folder) : NULL;
	struct dirent *task;

	while (!found && tasks && (task = readdir(tasks))) {
		char name[300];

		snprintf(name, sizeof(name), "task/%s/status", task->d_name);
		found = *task->d_name != '.' && read_memory(proc->folder, name, text);
	}
	if (tasks)
		closedir(tasks);
	else if (folder >= 0)
		close(folder);
	return found || read_lines(proc->folder, "status", text);
}

bool proc_read(const struct proc *proc, struct proc_numbers *numbers)
{
	char text[FILE_BYTES];

	*numbers = (struct proc_numbers){ 0 };
	if (!read_text(proc->folder, "stat", text) || !read_stat(text, numbers) ||
	    !read_status(proc, text))
		return false;
	numbers->rss = line_of(text, "\nVmRSS:", 1024);
	numbers->rss_peak = line_of(text, "\nVmHWM:", 1024);
	numbers->anonymous = line_of(text, "\nRssAnon:", 1024);
	numbers->file = line_of(text, "\nRssFile:", 1024) + line_of(text, "\nRssShmem:", 1024);
	numbers->swap = line_of(text, "\nVmSwap:", 1024);
	numbers->threads = line_of(text, "\nThreads:", 1);
	return true;
}

pid_t proc_pid(const char *text)
{
	char *end;
	long pid;

	errno = 0;
	pid = strtol(text, &end, 10);
	if (errno || *end || *text < '0' || *text > '9' || pid <= 0 || pid > INT_MAX)
		return -1;
	return (pid_t)pid;
}

int proc_open(struct proc *proc, const char *text, const char *command)
{
	struct proc_numbers numbers;
	char path[64], name[FILE_BYTES];

	proc->pid = proc_pid(text);
	if (proc->pid < 0 && (!*text || text[strspn(text, "0123456789")])) {
		say(stderr, "usermm %s: not a process id: '%s'\n", command, text);
		return EXIT_USAGE;
	}
	snprintf(path, sizeof(path), "/proc/%d", proc->pid);
	proc->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (proc->folder < 0) {
		say(stderr, "usermm %s: there is no process %s, or /proc hides it (hidepid=)\n",
		    command, text);
		return EXIT_NO_PROCESS;
	}
	if (!proc_read(proc, &numbers)) {
		say(stderr, "usermm %s: process %d has ended, and waits for its parent\n", command,
		    proc->pid);
		proc_close(proc);
		return EXIT_ENDED;
	}
	snprintf(proc->command, sizeof(proc->command), "?");
	if (read_text(proc->folder, "comm", name)) {
		name[strlen(name) - 1] = '\0';	/* the end of the line; others are the name's */
		snprintf(proc->command, sizeof(proc->command), "%.*s",
			 (int)sizeof(proc->command) - 1, name);
	}
	return 0;
}

void proc_close(struct proc *proc)
{
	close(proc->folder);
	proc->folder = -1;
}
