// SPDX-License-Identifier: MIT
/*
 * Placeholders: for each node an empty file, a folder or a link of the machine, below one folder,
 * with the node's path. Programs list and test these. Only to open a file they ask the server.
 * Folders that every Linux has are marked by the sticky bit (wire.h), since programs see the
 * machine's own folder of that name.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/limits.h>

#include "files.h"

int creat(const char *path, mode_t mode);

static char top[PATH_MAX];		/* empty: nobody needs placeholders. Sync: files_lock */

static bool place_of(const struct file_node *node, char *place, size_t size)
{
	size_t length = strlen(top);

	memcpy(place, top, length);
	return length && node_path(node, place + length, size - length);
}

/* "../" for each folder of the node's own path: links must not lead out of the placeholders. */
static void make_link(const struct file_node *node, const char *place)
{
	char target[PATH_MAX] = "";
	const char *text = node->target;

	if (*text == '/')
		for (const char *at = place + strlen(top) + 1; (at = strchr(at, '/')); at++)
			if (strlen(target) + 4 < sizeof(target))
				strcat(target, "../");
	text += *text == '/';
	if (strlen(target) + strlen(text) < sizeof(target)) {
		strcat(target, text);
		symlink(target, place);
	}
}

void placeholder_make(const struct file_node *node)
{
	mode_t mode = node->inode.i_mode & 0777;
	char place[2 * PATH_MAX];
	int fd;

	if (!place_of(node, place, sizeof(place)))
		return;
	if (node->target) {
		make_link(node, place);
	} else if (S_ISDIR(node->inode.i_mode)) {
		mkdir(place, 0755);
		chmod(place, (mode | 0700) | (node->is_base ? S_ISVTX : 0));
	} else {
		fd = creat(place, 0600);
		if (fd >= 0) {
			fchmod(fd, mode);
			close(fd);
		}
	}
}

void placeholder_remove(const struct file_node *node)
{
	char place[2 * PATH_MAX];

	if (place_of(node, place, sizeof(place)))
		remove(place);
}

int placeholders_begin(const char *folder)
{
	if (strlen(folder) >= sizeof(top))
		return -ENAMETOOLONG;
	if (mkdir(folder, 0700) && errno != EEXIST)
		return -errno;
	files_lock();
	strcpy(top, folder);
	files_unlock();
	placeholders_make_all();
	return 0;
}
