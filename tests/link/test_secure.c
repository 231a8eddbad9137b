/* SPDX-License-Identifier: MIT */
/*
 * A program with raised privileges ignores the environment. A copy of this program, with malloc
 * linked into it, is made set-user-ID root, and another user runs it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>

#include "support/system/copy_file.h"

#define NOBODY 65534
#define NOT_RAISED 77

static char copy[] = "/tmp/usermm-secure-XXXXXX";

static bool make_copy(void)
{
	int to = mkstemp(copy);
	bool good = to >= 0 && copy_file("/proc/self/exe", to) && !fchown(to, 0, 0) &&
		    !fchmod(to, S_ISUID | 0755);

	close(to);
	return good;
}

/* The copy's wait status; what it wrote to stderr. */
static int run_copy(uid_t uid, char *text, size_t size)
{
	int fds[2], status = -1;
	ssize_t length;
	pid_t child;

	if (pipe(fds))
		return -1;
	child = fork();
	if (!child) {
		dup2(fds[1], STDERR_FILENO);
		if (setresuid(uid, uid, uid))
			_exit(1);
		setenv("USERMM_OPTIONS", "bogus=1", 1);
		execl(copy, copy, "--child", (char *)NULL);
		_exit(1);
	}
	close(fds[1]);
	length = read(fds[0], text, size - 1);
	text[length > 0 ? length : 0] = '\0';
	close(fds[0]);
	waitpid(child, &status, 0);
	return status;
}

static int be_copy(bool raised)
{
	char *block = malloc(1000);

	if (!block)
		return 1;
	free(block);
	return raised == !!getauxval(AT_SECURE) ? 0 : NOT_RAISED;
}

int main(int argc, char **argv)
{
	static char others[4096], roots[4096];
	int status, own;

	if (argc > 1 && !strcmp(argv[1], "--child"))
		return be_copy(getuid() != 0);
	if (geteuid() || !make_copy()) {
		unlink(copy);
		printf("0 passed, 0 failed: only root can raise a program's privileges\n");
		return NOT_RAISED;
	}
	status = run_copy(NOBODY, others, sizeof(others));
	own = run_copy(0, roots, sizeof(roots));
	unlink(copy);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_RAISED) {
		printf("0 passed, 0 failed: /tmp does not raise privileges\n");
		return NOT_RAISED;
	}
	/* Run by root itself, the copy obeys the environment: so the test can fail. */
	if (status || own || *others || !strstr(roots, "bogus")) {
		printf("status %#x '%s', own %#x '%s'\n", status, others, own, roots);
		return 1;
	}
	printf("2 passed, 0 failed\n");
	return 0;
}
