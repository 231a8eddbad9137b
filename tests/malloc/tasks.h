/* SPDX-License-Identifier: MIT */
/* The threads of this process, the library's among them. */
#ifndef MALLOC_TASKS_H
#define MALLOC_TASKS_H

#include <dirent.h>

#include "harness.h"

static inline unsigned int nr_threads(void)
{
	DIR *tasks = opendir("/proc/self/task");
	unsigned int nr = 0;
	struct dirent *task;

	REQUIRE(tasks);
	while ((task = readdir(tasks)))
		nr += task->d_name[0] != '.';
	closedir(tasks);
	return nr;
}

#endif
