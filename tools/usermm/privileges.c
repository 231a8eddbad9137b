// SPDX-License-Identifier: MIT
#include "privileges.h"

#include <endian.h>
#include <linux/capability.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Has this user namespace the number? If it has not, the kernel ignores the owner's bits. */
static bool is_mapped(const char *map, unsigned long id)
{
	FILE *file = fopen(map, "re");
	unsigned long first, outside, numbers;
	bool mapped = !file;	/* a kernel without namespaces */

	while (!mapped && fscanf(file, "%lu %lu %lu", &first, &outside, &numbers) == 3)
		mapped = id - first < numbers;
	if (file)
		fclose(file);
	return mapped;
}

static bool gets_other_ids(const struct stat *file, bool has_bits)
{
	uid_t user = geteuid();
	gid_t group = getegid();

	if (has_bits && is_mapped("/proc/self/uid_map", file->st_uid) &&
	    is_mapped("/proc/self/gid_map", file->st_gid)) {
		if (file->st_mode & S_ISUID)
			user = file->st_uid;
		/* Without the group's right to execute, the bit once meant mandatory locks. */
		if ((file->st_mode & S_ISGID) && (file->st_mode & S_IXGRP))
			group = file->st_gid;
	}
	return user != getuid() || group != getgid();
}

/* no_new_privs takes away the capabilities, but not the mark that the effective flag leaves. */
static bool gets_capabilities(const char *path, bool no_new_privileges)
{
	struct vfs_ns_cap_data held = { 0 };

	/* Root has them all anyway. */
	if (!getuid() || getxattr(path, "security.capability", &held, sizeof(held)) <= 0)
		return false;
	return le32toh(held.magic_etc) & VFS_CAP_FLAGS_EFFECTIVE ||
	       (!no_new_privileges && (held.data[0].permitted || held.data[1].permitted));
}

bool privileges_are_raised(const char *path)
{
	bool no_new_privileges = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
	struct statvfs mount;
	struct stat file;
	bool has_suid;

	if (stat(path, &file) || !S_ISREG(file.st_mode) || statvfs(path, &mount))
		return false;
	has_suid = !(mount.f_flag & ST_NOSUID);
	return gets_other_ids(&file, has_suid && !no_new_privileges) ||
	       (has_suid && gets_capabilities(path, no_new_privileges));
}
