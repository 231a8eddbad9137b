// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/options.h"
#include "command.h"
#include "os/os.h"
#include "percpu/percpu.h"
#include "say.h"
#include "usermm/usermm.h"

bool beside_program(const char *relative, char path[PATH_MAX])
{
	char program[OS_PROGRAM_PATH_BYTES], candidate[2 * PATH_MAX];

	if (!os_program_path(program))
		return false;
	*strrchr(program, '/') = '\0';
	snprintf(candidate, sizeof(candidate), "%s/%s", program, relative);
	return realpath(candidate, path) && !access(path, R_OK);
}

/* The first of the files that exists. */
static const char *find_beside(const char *const *candidates, unsigned int nr,
			       char path[PATH_MAX])
{
	for (unsigned int i = 0; i < nr; i++)
		if (beside_program(candidates[i], path))
			return path;
	return NULL;
}

/* Where libraries are: beside the command in a build, and where they are installed. */
static const char *const library_folders[] = {
	".", USERMM_LIBRARIES, "../lib", "../lib64",
};

static bool library_in(const char *folder, const char *name, char path[PATH_MAX])
{
	char relative[PATH_MAX];

	snprintf(relative, sizeof(relative), "%s/%s", folder, name);
	return beside_program(relative, path);
}

bool library_path(const char *name, char path[PATH_MAX])
{
	for (unsigned int i = 0; i < ARRAY_SIZE(library_folders); i++)
		if (library_in(library_folders[i], name, path))
			return true;
	return false;
}

const char *preload_path(void)
{
	static char path[PATH_MAX];

	for (unsigned int i = 0; i < ARRAY_SIZE(library_folders); i++)
		if (library_in(library_folders[i], PRELOAD_LIBRARY, path) ||
		    library_in(library_folders[i], PRELOAD_LOADED, path))
			return path;
	return NULL;
}

const char *refused_rseq(void)
{
	enum percpu_mode mode = percpu_mode();

	if (options.rseq == OPTION_RSEQ_MM_CID && mode != PERCPU_RSEQ_MM_CID)
		return "mm_cid";
	if (options.rseq == OPTION_RSEQ_CPU_ID && mode != PERCPU_RSEQ_CPU_ID)
		return "cpu_id";
	return NULL;
}

const char *compile_trace_path(void)
{
	static const char *const candidates[] = {
		COMPILE_TRACE, "../share/usermm/" COMPILE_TRACE,
	};
	static char path[PATH_MAX];

	return find_beside(candidates, ARRAY_SIZE(candidates), path);
}

const char *inspect_path(void)
{
	static const char *const candidates[] = {
		"usermm-inspect", "../libexec/usermm/usermm-inspect",
	};
	static char path[PATH_MAX];

	return find_beside(candidates, ARRAY_SIZE(candidates), path);
}

const char *peers_path(void)
{
	static char path[PATH_MAX];

	return beside_program("peers", path) ? path : NULL;
}

int end_output(const char *command, int status)
{
	if ((!fflush(stdout) && !ferror(stdout)) || status > 1)
		return status;
	say(stderr, "usermm %s: the output cannot be written\n", command);
	return EXIT_NO_OUTPUT;
}

bool join_variable(const char *name, const char *value, char separator, bool first)
{
	const char *old = getenv(name);
	char *joined;
	int error;

	if (!old || !*old)
		return !setenv(name, value, 1);
	if (asprintf(&joined, "%s%c%s", first ? value : old, separator, first ? old : value) < 0)
		return false;
	error = setenv(name, joined, 1);
	free(joined);
	return !error;
}

/* Is there room behind USERMM_OPTIONS' value? The library ignores a text that is too long. */
static bool options_fit(const char *text)
{
	const char *old = getenv("USERMM_OPTIONS");

	return strlen(text) + (old && *old ? strlen(old) + 1 : 0) < OPTIONS_BYTES;
}

bool take_options(const char *command, const char *text)
{
	const char *error = NULL;

	if (!options_fit(text)) {
		say(stderr, "usermm %s: too many options; with those in USERMM_OPTIONS they may "
		    "have %d bytes at most\n", command, OPTIONS_BYTES - 1);
		return false;
	}
	if (usermm_set_options(text, &error)) {
		say(stderr, "usermm %s: %s\n", command, error ? error : "bad options");
		return false;
	}
	if (!join_variable("USERMM_OPTIONS", text, ':', false)) {
		say(stderr, "usermm %s: out of memory\n", command);
		return false;
	}
	return true;
}
