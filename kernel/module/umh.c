// SPDX-License-Identifier: MIT
/* Programs that modules start: see linux/umh.h. */
#include <errno.h>
#include <spawn.h>
#include <sys/wait.h>

#include <linux/umh.h>

int call_usermodehelper(const char *path, char **arguments, char **environment, int wait)
{
	char *none[] = { NULL };
	int error, status = 0;
	pid_t pid;

	if (!path || !path[0])
		return 0;
	error = posix_spawn(&pid, path, NULL, NULL, arguments ? arguments : none,
			    environment ? environment : none);
	if (error)
		return wait == UMH_NO_WAIT ? 0 : -error;
	if (!(wait & UMH_WAIT_PROC))
		return 0;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return status;
}
