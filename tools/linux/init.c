// SPDX-License-Identifier: MIT
/*
 * The only program in the Linux that run_linux.py boots. It loads modules one after another.
 *
 * /modules has a line for each module: its number, its name, 1 if it stays loaded, and its
 * parameters. The program writes to the kernel's log, between the modules' own lines: "begin
 * NUMBER", "init NUMBER RESULT", "exit NUMBER RESULT", and at last "end". RESULT is 0, a negative
 * errno, or "killed" if the call did not return.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MARK "run_linux:"

struct module {
	unsigned int number;
	int keep;
	char name[64];
	const char *params;
};

typedef int (*module_call)(const struct module *module);

static int load(const struct module *module)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/%u.ko", module->number);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 || syscall(SYS_finit_module, fd, module->params, 0) ? -errno : 0;
}

static int unload(const struct module *module)
{
	return syscall(SYS_delete_module, module->name, O_NONBLOCK) ? -errno : 0;
}

/* One write is one line of the log. */
static void say(const char *text)
{
	int fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		fprintf(stderr, "%s (%s)\n", text, strerror(errno));
	close(fd);
}

/* Calls function in a child, since an oops in the module ends the calling process. 0 on success. */
static int call(const char *what, module_call function, const struct module *module)
{
	int results[2], result;
	char text[64], shown[16] = "killed";
	pid_t pid;

	if (pipe(results))
		return -errno;
	pid = fork();
	if (!pid) {
		result = function(module);
		_exit(write(results[1], &result, sizeof(result)) < 0);
	}
	close(results[1]);
	if (pid > 0 && read(results[0], &result, sizeof(result)) == sizeof(result))
		snprintf(shown, sizeof(shown), "%d", result);
	else
		result = -EINTR;
	close(results[0]);
	waitpid(pid, NULL, 0);
	snprintf(text, sizeof(text), MARK " %s %u %s", what, module->number, shown);
	say(text);
	return result;
}

static void run(const struct module *module)
{
	char text[64];

	snprintf(text, sizeof(text), MARK " begin %u", module->number);
	say(text);
	if (!call("init", load, module) && !module->keep)
		call("exit", unload, module);
}

int main(void)
{
	FILE *list = fopen("/modules", "re");
	char *line = NULL;
	size_t size = 0;

	mount("none", "/dev", "devtmpfs", 0, NULL);
	mount("none", "/proc", "proc", 0, NULL);
	while (list && getline(&line, &size, list) > 0) {
		struct module module;
		int params = 0;

		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%u %63s %d %n", &module.number, module.name, &module.keep,
			   &params) != 3)
			break;
		module.params = line + params;
		run(&module);
	}
	say(MARK " end");
	reboot(RB_POWER_OFF);
	return 1;
}
