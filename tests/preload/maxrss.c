/* SPDX-License-Identifier: MIT */
/*
 * maxrss LIBRARY PROGRAM [ARGUMENT...]: runs the program, with the library
 * preloaded unless its name is empty, and prints the most memory it had
 * resident, in KiB.
 *
 * This is a program of its own because the figure that the kernel keeps covers
 * the process from its fork on: below a large parent, the parent is measured.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct rusage usage;
	pid_t child;
	int status;

	if (argc < 3) {
		fprintf(stderr, "usage: maxrss LIBRARY PROGRAM [ARGUMENT...]\n");
		return 2;
	}
	child = fork();
	if (child == 0) {
		if (argv[1][0] && setenv("LD_PRELOAD", argv[1], 1))
			_exit(127);
		execv(argv[2], argv + 2);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) != child) {
		perror("maxrss");
		return 1;
	}
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		fprintf(stderr, "maxrss: %s ended with status 0x%x\n", argv[2], status);
		return 1;
	}
	printf("%ld\n", usage.ru_maxrss);
	return 0;
}
