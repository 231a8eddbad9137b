// SPDX-License-Identifier: MIT
/*
 * usermm module: kernel sources as a process.
 *
 * The sources are compiled with the compiler that is found, against include/kernel, and
 * linked with libusermm_kernel.so, which has main(): see kernel/module_run.h. The
 * program runs as a child, so whatever happens to it, this process tells about it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/compiler.h"
#include "command.h"
#include "module.h"

#define KERNEL_LIBRARY "libusermm_kernel.so"
#define TIMEOUT_SECONDS 120

/* What the kernel's own build says, as far as it changes what a source means. */
static const char *const compiler_flags[] = {
	"-std=gnu11", "-O2", "-g", "-fno-strict-aliasing", "-fno-strict-overflow",
	"-fno-delete-null-pointer-checks", "-funsigned-char", "-fPIE",
	"-Wno-pointer-sign", "-Wno-attributes", "-Werror=implicit-function-declaration",
	"-Werror=implicit-int", "-Werror=int-conversion", "-D__KERNEL__=1", "-DMODULE=1",
};

static const struct {
	const char *kernel, *public;
} header_folders[] = {
	{ "include/kernel", "include" },		/* beside a build tree */
	{ "../include/kernel", "../include" },		/* in the source tree */
	{ "../include/usermm/kernel", "../include" },	/* installed */
};

static bool find_headers(struct module_job *job)
{
	char probe[PATH_MAX + 32];

	for (unsigned int i = 0; i < ARRAY_SIZE(header_folders); i++) {
		if (!beside_program(header_folders[i].kernel, job->kernel_headers) ||
		    !beside_program(header_folders[i].public, job->public_headers))
			continue;
		snprintf(probe, sizeof(probe), "%s/linux/module.h", job->kernel_headers);
		if (!access(probe, R_OK))
			return true;
	}
	fprintf(stderr, "usermm module: the headers (include/kernel) are neither beside usermm "
			"nor in ../include\n");
	return false;
}

static bool find_library(struct module_job *job)
{
	if (beside_program("./" KERNEL_LIBRARY, job->library) ||
	    beside_program("../lib/" KERNEL_LIBRARY, job->library) ||
	    beside_program("../lib64/" KERNEL_LIBRARY, job->library) ||
	    beside_program("../lib/x86_64-linux-gnu/" KERNEL_LIBRARY, job->library) ||
	    beside_program("../lib/aarch64-linux-gnu/" KERNEL_LIBRARY, job->library))
		return true;
	fprintf(stderr, "usermm module: " KERNEL_LIBRARY " is neither beside usermm nor in "
			"../lib\n");
	return false;
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), end_length = strlen(end);

	return length > end_length && !strcmp(text + length - end_length, end);
}

static bool bad_argument(const char *what, const char *argument)
{
	fprintf(stderr, "usermm module: %s '%s'\n", what, argument);
	return false;
}

/* "--linux=4.9": what LINUX_VERSION_CODE is to be. */
static bool take_version(struct module_job *job, const char *text)
{
	unsigned int major, minor, patch = 0;
	char end;
	int fields = sscanf(text, "%u.%u.%u%c", &major, &minor, &patch, &end);

	if (fields < 2 || fields > 3 || major > 255 || minor > 255 || patch > 255)
		return bad_argument("not a version of Linux, such as 6.12:", text);
	snprintf(job->version, sizeof(job->version), "-DLINUX_VERSION_CODE=%u",
		 (major << 16) + (minor << 8) + patch);
	job->flags[job->nr_flags++] = job->version;
	return true;
}

static bool take_timeout(struct module_job *job, const char *text)
{
	char *end;

	errno = 0;
	job->timeout = strtoul(text, &end, 10);
	if (errno || *end || end == text || *text == '-' || job->timeout > INT_MAX)
		return bad_argument("not a number of seconds:", text);
	return true;
}

static bool is_compiler_flag(const char *argument)
{
	return argument[0] == '-' && argument[1] && strchr("DUIOWfgms", argument[1]);
}

static bool take_argument(struct module_job *job, char *argument)
{
	const char *equals = strchr(argument, '=');

	if (!strncmp(argument, "--timeout=", 10))
		return take_timeout(job, argument + 10);
	if (!strncmp(argument, "--linux=", 8))
		return take_version(job, argument + 8);
	if (!strcmp(argument, "--compile-only"))
		job->compile_only = true;
	else if (is_compiler_flag(argument))
		job->flags[job->nr_flags++] = argument;
	else if (argument[0] == '-')
		return bad_argument("unknown option", argument);
	else if (!equals && ends_with(argument, ".c"))
		job->sources[job->nr_sources++] = argument;
	else
		job->params[job->nr_params++] = argument;
	return true;
}

static bool take_arguments(struct module_job *job, int argc, char **argv)
{
	if (argc > MODULE_MAX_ARGUMENTS) {
		fprintf(stderr, "usermm module: more than %d arguments\n", MODULE_MAX_ARGUMENTS);
		return false;
	}
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-o") && i + 1 < argc) {
			if (!take_options("module", argv[++i]))
				return false;
		} else if (!take_argument(job, argv[i])) {
			return false;
		}
	}
	if (!job->nr_sources) {
		fprintf(stderr, "usermm module: no source given; usage: usermm module FILE.c... "
				"[PARAMETER=VALUE...]\n");
		return false;
	}
	for (unsigned int i = 0; i < job->nr_sources; i++)
		if (access(job->sources[i], R_OK)) {
			fprintf(stderr, "usermm module: %s: %s\n", job->sources[i],
				strerror(errno));
			return false;
		}
	return true;
}

static int run_to_end(char *const *argv)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		execvp(argv[0], argv);
		fprintf(stderr, "usermm module: %s: %s\n", argv[0], strerror(errno));
		_exit(EXIT_NOT_FOUND);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return pid > 0 ? status : -1;
}

static const char *compiler(void)
{
	static const char *const names[] = { "cc", "gcc", "clang" };
	const char *chosen = getenv("CC");
	char command[64];

	if (chosen && *chosen)
		return chosen;
	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(command, sizeof(command), "command -v %s >/dev/null", names[i]);
		if (!system(command))
			return names[i];
	}
	fprintf(stderr, "usermm module: no C compiler is installed (cc, gcc or clang)\n");
	return NULL;
}

/* As kbuild does: the file's name without its end, and _ for -. */
static void module_name(const char *source, char *name, size_t size)
{
	const char *slash = strrchr(source, '/');
	char *dot;

	snprintf(name, size, "%s", slash ? slash + 1 : source);
	dot = strrchr(name, '.');
	if (dot)
		*dot = '\0';
	for (; *name; name++)
		if (*name == '-')
			*name = '_';
}

static bool compile(const struct module_job *job, const char *cc, unsigned int number)
{
	const char *argv[MODULE_MAX_ARGUMENTS + 32];
	char name[NAME_MAX + 1], modname[NAME_MAX + 32], basename[NAME_MAX + 32];
	char kernel[PATH_MAX + 2], public[PATH_MAX + 2], object[PATH_MAX + 16];
	unsigned int n = 0;

	module_name(job->sources[number], name, sizeof(name));
	snprintf(modname, sizeof(modname), "-DKBUILD_MODNAME=\"%s\"", name);
	snprintf(basename, sizeof(basename), "-DKBUILD_BASENAME=\"%s\"", name);
	snprintf(kernel, sizeof(kernel), "-I%s", job->kernel_headers);
	snprintf(public, sizeof(public), "-I%s", job->public_headers);
	snprintf(object, sizeof(object), "%s/%u.o", job->folder, number);
	argv[n++] = cc;
	for (unsigned int i = 0; i < ARRAY_SIZE(compiler_flags); i++)
		argv[n++] = compiler_flags[i];
	argv[n++] = kernel;
	argv[n++] = public;
	argv[n++] = modname;
	argv[n++] = basename;
	for (unsigned int i = 0; i < job->nr_flags; i++)
		argv[n++] = job->flags[i];
	argv[n++] = "-c";
	argv[n++] = job->sources[number];
	argv[n++] = "-o";
	argv[n++] = object;
	argv[n] = NULL;
	return !run_to_end((char **)argv);
}

static bool link_objects(const struct module_job *job, const char *cc)
{
	static char objects[MODULE_MAX_ARGUMENTS][PATH_MAX + 16];
	const char *argv[MODULE_MAX_ARGUMENTS + 16];
	char rpath[PATH_MAX + 16], *slash;
	unsigned int n = 0;

	snprintf(rpath, sizeof(rpath), "-Wl,-rpath,%s", job->library);
	slash = strrchr(rpath, '/');
	*slash = '\0';
	argv[n++] = cc;
	argv[n++] = "-pie";
	for (unsigned int i = 0; i < job->nr_sources; i++) {
		snprintf(objects[i], sizeof(objects[i]), "%s/%u.o", job->folder, i);
		argv[n++] = objects[i];
	}
	argv[n++] = job->library;
	argv[n++] = rpath;
	argv[n++] = "-o";
	argv[n++] = job->program;
	argv[n] = NULL;
	return !run_to_end((char **)argv);
}

static bool build(const struct module_job *job)
{
	const char *cc = compiler();
	bool built = cc;

	for (unsigned int i = 0; built && i < job->nr_sources; i++)
		built = compile(job, cc, i);
	if (built && !job->compile_only)
		built = link_objects(job, cc);
	if (cc && !built)
		fprintf(stderr, "usermm module: not built; docs/KERNEL-HEADERS.md lists the names "
				"that are supported\n");
	return built;
}

static int remove_entry(const char *path, const struct stat *stat, int type, struct FTW *ftw)
{
	(void)stat, (void)type, (void)ftw;
	return remove(path);
}

int command_module(int argc, char **argv)
{
	struct module_job job = { .timeout = TIMEOUT_SECONDS };
	const char *tmp = getenv("TMPDIR");
	int code = 1;

	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
		return command_help("module");
	if (!take_arguments(&job, argc, argv))
		return EXIT_USAGE;
	if (!find_headers(&job) || !find_library(&job))
		return EXIT_NO_LIBRARY;
	snprintf(job.folder, sizeof(job.folder), "%s/usermm-module-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(job.folder)) {
		fprintf(stderr, "usermm module: %s: %s\n", job.folder, strerror(errno));
		return 1;
	}
	snprintf(job.program, sizeof(job.program), "%s/module", job.folder);
	if (build(&job))
		code = job.compile_only ? 0 : module_job_run(&job);
	nftw(job.folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
	return code;
}
