// SPDX-License-Identifier: MIT
/*
 * Runs a program that may open the module's files: `usermm module FILE.c -- PROGRAM`. It preloads
 * the library that finds them (preload/), and so do the programs that it starts.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "module/module_run.h"
#include "files.h"
#include "script.h"
#include "wire.h"

#define EXIT_NOT_FOUND 127
#define EXIT_NOT_EXECUTABLE 126

static void preload(const char *library)
{
	const char *others = getenv("LD_PRELOAD");
	size_t size = strlen(library) + (others ? strlen(others) : 0) + 2;
	char *both = malloc(size);

	if (!both)
		_exit(EXIT_NOT_EXECUTABLE);
	snprintf(both, size, others && *others ? "%s:%s" : "%s", library, others);
	setenv("LD_PRELOAD", both, 1);
}

/* The program must end even if this process is killed. */
static void become(char **argv, const char *folder, const char *library, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_NOT_EXECUTABLE);
	setenv(FILES_VARIABLE, folder, 1);
	preload(library);
	execvp(argv[0], argv);
	fprintf(stderr, "usermm module: %s: %s\n", argv[0], strerror(errno));
	_exit(errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE);
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return MODULE_EXIT_FAILED;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int script_run(char **argv)
{
	const char *folder = getenv(FILES_VARIABLE), *library = getenv(PRELOAD_VARIABLE);
	pid_t parent = getpid(), pid;
	int error, status;

	if (!folder || !library) {
		fprintf(stderr, "usermm module: to run %s, start the module by `usermm module`, or "
				"set " FILES_VARIABLE " to a new folder and " PRELOAD_VARIABLE
				" to libusermm_module_files.so\n", argv[0]);
		return MODULE_EXIT_FAILED;
	}
	modules_add_files();
	error = serve_begin(folder);
	if (error) {
		fprintf(stderr, "usermm module: the module's files cannot be served in %s: %s\n",
			folder, strerror(-error));
		return MODULE_EXIT_FAILED;
	}
	fflush(NULL);
	pid = fork();
	if (!pid)
		become(argv, folder, library, parent);
	if (pid < 0)
		fprintf(stderr, "usermm module: %s\n", strerror(errno));
	status = pid < 0 ? MODULE_EXIT_FAILED : wait_for(pid);
	serve_end();
	return status;
}
