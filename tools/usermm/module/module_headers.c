// SPDX-License-Identifier: MIT
/*
 * Which headers of the machine did a source get in place of the kernel's?
 *
 * The compiler looks into /usr/include, too, since a source may include libc's headers. A header
 * that usermm lacks may exist there with another meaning, for programs: <linux/wmi.h> is one. The
 * source then fails at the first name that it lacks, so the user is told the header's name.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "../command.h"
#include "module.h"

/* Folders in which both the kernel and the machine have headers. */
static const char *const shared_folders[] = {
	"linux/", "asm/", "asm-generic/", "drm/", "misc/", "mtd/", "rdma/", "scsi/", "sound/",
	"video/", "xen/",
};

/* Where compilers find the machine's headers; others are somebody's own, also those of CPATH. */
static const char *const machine_folders[] = { "/usr/include", "/usr/local/include" };

#define MAX_DEPTH 200

static bool is_below(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	while (length && folder[length - 1] == '/')
		length--;
	return length && !strncmp(path, folder, length) && path[length] == '/';
}

static bool is_in_folder_of(const char *path, const char *file)
{
	char folder[PATH_MAX];
	char *slash;

	snprintf(folder, sizeof(folder), "%s", file);
	slash = strrchr(folder, '/');
	if (slash)
		*slash = '\0';
	return slash && is_below(path, folder);
}

/* Is it a header of the machine's? Not usermm's, nor one of the user's own folders. */
static bool is_of_machine(const struct module_job *job, const char *path)
{
	bool is_there = false;

	for (unsigned int i = 0; i < ARRAY_SIZE(machine_folders); i++)
		is_there = is_there || is_below(path, machine_folders[i]);
	if (!is_there || is_below(path, job->kernel_headers) ||
	    is_below(path, job->public_headers))
		return false;
	for (unsigned int i = 0; i < job->nr_sources; i++)
		if (is_in_folder_of(path, job->sources[i]))
			return false;
	for (unsigned int i = 0; i < job->nr_flags; i++)
		if (!strncmp(job->flags[i], "-I", 2) &&
		    is_below(path, job->flags[i][2] || i + 1 == job->nr_flags ?
					   job->flags[i] + 2 : job->flags[i + 1]))
			return false;
	return true;
}

/* "linux/wmi.h" of "/usr/include/linux/wmi.h"; NULL if the kernel has no headers in that folder. */
static const char *name_of(const char *path)
{
	const char *include = strstr(path, "/include/"), *at;

	for (unsigned int i = 0; include && i < ARRAY_SIZE(shared_folders); i++) {
		char part[32];

		snprintf(part, sizeof(part), "/%s", shared_folders[i]);
		at = strstr(include + strlen("/include"), part);
		if (at)
			return at + 1;
	}
	return NULL;
}

static bool usermm_has(const struct module_job *job, const char *name)
{
	char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", job->kernel_headers, name);
	return !access(path, F_OK);
}

/*
 * A line of the compiler's option -H has a dot for each level, then the path. Headers that the
 * machine's or usermm's own headers include are not the source's affair.
 */
void module_name_headers_of_machine(const struct module_job *job, FILE *list)
{
	bool is_of_source[MAX_DEPTH + 1] = { true };
	char line[PATH_MAX + MAX_DEPTH + 4], said[4][PATH_MAX];
	unsigned int nr_said = 0;

	while (fgets(line, sizeof(line), list)) {
		size_t depth = strspn(line, ".");
		const char *path = line + depth + 1, *name;
		bool is_known = false;

		line[strcspn(line, "\n")] = '\0';
		if (!depth || depth > MAX_DEPTH || line[depth] != ' ')
			continue;
		is_of_source[depth] = !is_of_machine(job, path) &&
				      !is_below(path, job->kernel_headers) &&
				      !is_below(path, job->public_headers);
		name = is_of_source[depth - 1] && is_of_machine(job, path) ? name_of(path) : NULL;
		if (!name || usermm_has(job, name))
			continue;
		for (unsigned int i = 0; i < nr_said; i++)
			is_known = is_known || !strcmp(said[i], path);
		if (is_known || nr_said == ARRAY_SIZE(said))
			continue;
		snprintf(said[nr_said++], sizeof(said[0]), "%s", path);
		fprintf(stderr, "usermm module: <%s> is the machine's header for programs, %s; "
				"usermm has no kernel header of that name\n", name, path);
	}
}
