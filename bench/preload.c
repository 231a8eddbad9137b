// SPDX-License-Identifier: MIT
#include "preload.h"

#include <stdio.h>
#include <string.h>

bool preload_by_environment(struct preload *preload, const char *path)
{
	const char *slash = strrchr(path, '/');

	preload->name = path;
	preload->folder[0] = '\0';
	if (!strpbrk(path, " :"))
		return true;
	if (!slash || slash - path >= PATH_MAX || strpbrk(path, ":;") || strchr(slash, ' '))
		return false;
	preload->name = slash + 1;
	snprintf(preload->folder, sizeof(preload->folder), "%.*s", (int)(slash - path), path);
	return true;
}
