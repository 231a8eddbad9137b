// SPDX-License-Identifier: MIT
/*
 * usermm module: runs kernel sources as a process.
 *
 * The sources are compiled against include/kernel and linked with libusermm_kernel.a, which has
 * main() (kernel/module/module_run.h). The resulting program runs as a child, so this process can
 * report how it ended.
 */
#define _GNU_SOURCE
#include <ctype.h>
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
#include "../command.h"
#include "module.h"
#include "module_child.h"

#define KERNEL_LIBRARY "libusermm_kernel.so"
#define API_LIBRARY "libusermm.so"		/* which KERNEL_LIBRARY needs */
#define KERNEL_ARCHIVE "libusermm_kernel.a"
/* For programs that open a module's files. */
#define FILES_LIBRARY "libusermm_module_files.so"
#define EXPORTS_OPTION "--version-script="
#define TIMEOUT_SECONDS 120
/* The Linux versions whose names and rules are known: include/kernel/linux/version.h. */
#define OLDEST_MAJOR 4
#define NEWEST_MAJOR 7
#define NEWEST_MINOR 3

/* The flags of the kernel's own build that change the meaning of a source. */
static const char *const compiler_flags[] = {
	"-std=gnu11", "-O2", "-g", "-fno-strict-aliasing", "-fno-strict-overflow",
	"-fno-delete-null-pointer-checks", "-funsigned-char", "-fPIE",
	"-fno-optimize-sibling-calls",		/* keeps every caller in stack traces */
	"-Wno-pointer-sign", "-Wno-attributes", "-Werror=implicit-function-declaration",
	"-Werror=implicit-int", "-D__KERNEL__=1", "-DMODULE=1",
};

static const struct {
	const char *kernel, *public;
} header_folders[] = {
	{ "include/kernel", "include" },		/* beside the program */
	{ "../include/kernel", "../include" },		/* in the source tree */
	{ "../include/usermm/kernel", "../include" },	/* installed */
};

/* Where docs/kernel-headers.md may lie, in the order of header_folders. */
static const char *const name_lists[] = {
	"../docs/kernel-headers.md", "docs/kernel-headers.md",
	"../share/doc/usermm/kernel-headers.md",
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
			"nor in ../include; install them there\n");
	return false;
}

/*
 * One of the two is enough. Calls into the archive are direct; a build with a sanitizer has only
 * the shared library.
 */
static bool find_library(struct module_job *job)
{
	bool found = library_path(KERNEL_LIBRARY, job->library) &&
		     library_path(API_LIBRARY, job->api_library);

	if (!found)
		*job->library = '\0';
	if (library_path(KERNEL_ARCHIVE, job->archive)) {
		snprintf(job->script, sizeof(job->script), "%.*s.ld",
			 (int)(strlen(job->archive) - strlen(".a")), job->archive);
		found = true;
	}
	if (!found)
		fprintf(stderr, "usermm module: neither " KERNEL_ARCHIVE " nor " KERNEL_LIBRARY
				" with " API_LIBRARY " is beside usermm or in ../lib; build or "
				"install one of them there\n");
	return found;
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

/*
 * "--linux=4.9": sets LINUX_VERSION_CODE. A newer kernel than is known has the newest rules, an
 * older one the oldest.
 */
static bool take_version(struct module_job *job, const char *text)
{
	unsigned int major, minor, patch = 0;
	char end;
	int fields = sscanf(text, "%u.%u.%u%c", &major, &minor, &patch, &end);

	if (fields < 2 || fields > 3 || major > 255 || minor > 255 || patch > 255)
		return bad_argument("not a version of Linux, such as 6.12:", text);
	snprintf(job->version, sizeof(job->version), "-DLINUX_VERSION_CODE=%u",
		 (major << 16) + (minor << 8) + patch);
	if (major > NEWEST_MAJOR || (major == NEWEST_MAJOR && minor > NEWEST_MINOR))
		fprintf(stderr, "usermm module: Linux %u.%u is newer than %d.%d, the newest that "
				"is known, whose rules hold\n", major, minor, NEWEST_MAJOR,
			NEWEST_MINOR);
	if (major < OLDEST_MAJOR)
		fprintf(stderr, "usermm module: Linux %u.%u is older than %d.0, the oldest that is "
				"known, whose rules hold\n", major, minor, OLDEST_MAJOR);
	job->flags[job->nr_flags++] = job->version;
	/* Before 6.2 the kernel did not force the signedness of char. */
	if (major < 6 || (major == 6 && minor < 2))
		job->flags[job->nr_flags++] = "-fsigned-char";
	return true;
}

static bool take_timeout(struct module_job *job, const char *text)
{
	char *end;

	errno = 0;
	job->timeout = strtoul(text, &end, 10);
	if (errno || *end || *text < '0' || *text > '9' || job->timeout > INT_MAX)
		return bad_argument("not a number of seconds:", text);
	return true;
}

static bool is_compiler_flag(const char *argument)
{
	return argument[0] == '-' && argument[1] && strchr("DUIOWfgms", argument[1]);
}

/* Does the flag take the next argument as its value ("-D X", "-I FOLDER")? */
static bool takes_another(const char *argument)
{
	return argument[0] == '-' && argument[1] && strchr("DUI", argument[1]) && !argument[2];
}

/*
 * Does the argument name a source? In NAME=VALUE the name is an identifier or MODULE.NAME. With any
 * other name the argument is a source if the file exists, since a folder's name may have a '='.
 */
static bool is_source(const char *argument)
{
	const char *equals = strchr(argument, '=');

	if (!ends_with(argument, ".c"))
		return false;
	if (!equals)
		return true;
	for (const char *at = argument; at < equals; at++)
		if (!isalnum((unsigned char)*at) && !strchr("_-.", *at))
			return !access(argument, F_OK);
	return false;
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
	else if (is_source(argument))
		job->sources[job->nr_sources++] = argument;
	else if (!equals && (strchr(argument, '/') || !access(argument, F_OK)))
		return bad_argument("neither a source (FILE.c) nor a parameter:", argument);
	else
		job->params[job->nr_params++] = argument;
	return true;
}

static bool is_readable(const char *source)
{
	struct stat stat_of;
	int error = stat(source, &stat_of) || access(source, R_OK) ? errno :
		    S_ISDIR(stat_of.st_mode) ? EISDIR : 0;

	if (error)
		fprintf(stderr, "usermm module: %s: %s\n", source, strerror(error));
	return !error;
}

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Can the file's name be a module's name? It becomes a C string, KBUILD_MODNAME. */
static bool is_module_name(const char *source)
{
	char shown[NAME_MAX + 1];
	bool fits = true;

	snprintf(shown, sizeof(shown), "%s", file_name(source));
	for (char *c = shown; *c; c++) {
		bool is_control = (unsigned char)*c < ' ' || *c == '\177';

		fits = fits && !is_control && *c != '"' && *c != '\\';
		if (is_control)
			*c = '?';	/* keeps the message on one line */
	}
	return fits || bad_argument("a module's name has no \", \\ or control character:", shown);
}

/* What stands behind `--`: a program that runs with the module. */
static bool take_command(struct module_job *job, char **command)
{
	if (!*command) {
		fprintf(stderr, "usermm module: no program behind --; usage: usermm module "
				"FILE.c... -- PROGRAM [ARGUMENT...]\n");
		return false;
	}
	job->command = command;
	return true;
}

static bool take_arguments(struct module_job *job, int argc, char **argv)
{
	if (argc > MODULE_MAX_ARGUMENTS) {
		fprintf(stderr, "usermm module: more than %d arguments\n", MODULE_MAX_ARGUMENTS);
		return false;
	}
	for (int i = 1; i < argc; i++) {
		if ((!strcmp(argv[i], "-o") || takes_another(argv[i])) && i + 1 == argc)
			return bad_argument("no value for option", argv[i]);
		if (!strcmp(argv[i], "--")) {
			if (!take_command(job, argv + i + 1))
				return false;
			break;
		} else if (!strcmp(argv[i], "-o")) {
			if (!take_options("module", argv[++i]))
				return false;
		} else if (takes_another(argv[i])) {
			job->flags[job->nr_flags++] = argv[i];
			job->flags[job->nr_flags++] = argv[++i];
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
		if (!is_readable(job->sources[i]) || !is_module_name(job->sources[i]))
			return false;
	return true;
}

/*
 * Runs a command; true if it succeeded. *missing: it could not be executed, or was interrupted, so
 * the failure is no fault of the source.
 */
static bool run_to_end(const struct module_job *job, char *const *argv, int errors, bool *missing)
{
	pid_t pid = child_start(argv, job->folder, STDOUT_FILENO, errors);
	int status;

	if (pid < 0)
		return false;
	if (child_wait(pid, 0, &status) != CHILD_ENDED) {
		child_kill(pid);
		*missing = true;
		return false;
	}
	*missing = WIFEXITED(status) && (WEXITSTATUS(status) == EXIT_NOT_FOUND ||
					 WEXITSTATUS(status) == EXIT_NOT_EXECUTABLE);
	return !status;
}

bool module_is_in_path(const char *name)
{
	const char *path = getenv("PATH");
	char file[PATH_MAX];

	while (path && *path) {
		size_t length = strcspn(path, ":");

		snprintf(file, sizeof(file), "%.*s/%s", (int)length, path, name);
		if (!access(file, X_OK))
			return true;
		path += length + (path[length] == ':');
	}
	return false;
}

/* CC may contain arguments, as for make. */
static bool find_compiler(struct module_job *job)
{
	static const char *const names[] = { "cc", "gcc", "clang" };
	const char *chosen = getenv("CC");
	char *word, *rest;

	if (chosen && chosen[strspn(chosen, " \t")]) {
		snprintf(job->compiler_text, sizeof(job->compiler_text), "%s", chosen);
		for (word = strtok_r(job->compiler_text, " \t", &rest);
		     word && job->nr_compiler < MODULE_MAX_ARGUMENTS;
		     word = strtok_r(NULL, " \t", &rest))
			job->compiler[job->nr_compiler++] = word;
		return true;
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++)
		if (module_is_in_path(names[i])) {
			job->compiler[job->nr_compiler++] = names[i];
			return true;
		}
	fprintf(stderr, "usermm module: no C compiler is installed (cc, gcc or clang); install "
			"one, or name one in CC\n");
	return false;
}

/* The module's name as kbuild makes it: the file's name without its suffix, with _ for -. */
static void module_name(const char *source, char *name, size_t size)
{
	char *dot;

	snprintf(name, size, "%s", file_name(source));
	dot = strrchr(name, '.');
	if (dot)
		*dot = '\0';
	for (; *name; name++)
		if (*name == '-')
			*name = '_';
}

static unsigned int put_compiler(const struct module_job *job, const char **argv)
{
	memcpy(argv, job->compiler, job->nr_compiler * sizeof(*argv));
	return job->nr_compiler;
}

/* The compiler's arguments, which failed, are repeated with -H in place of compiling. */
static void say_wrong_headers(const struct module_job *job, const char **argv)
{
	char path[PATH_MAX + 16];
	bool missing;
	FILE *list;

	snprintf(path, sizeof(path), "%s/headers", job->folder);
	list = fopen(path, "w+e");
	if (!list)
		return;
	run_to_end(job, (char **)argv, fileno(list), &missing);
	rewind(list);
	module_name_headers_of_machine(job, list);
	fclose(list);
}

static bool compile(const struct module_job *job, unsigned int number, bool *missing)
{
	const char *argv[3 * MODULE_MAX_ARGUMENTS + 32];
	char name[NAME_MAX + 1], modname[NAME_MAX + 32], basename[NAME_MAX + 32];
	char kernel[PATH_MAX + 2], public[PATH_MAX + 2], mm[PATH_MAX + 16], kfence[PATH_MAX + 24];
	char object[PATH_MAX + 16];
	unsigned int n = put_compiler(job, argv), mode;

	module_name(job->sources[number], name, sizeof(name));
	snprintf(modname, sizeof(modname), "-DKBUILD_MODNAME=\"%s\"", name);
	snprintf(basename, sizeof(basename), "-DKBUILD_BASENAME=\"%s\"", name);
	snprintf(kernel, sizeof(kernel), "-I%s", job->kernel_headers);
	snprintf(public, sizeof(public), "-I%s", job->public_headers);
	/* For sources of the kernel's mm/: "slab.h" is found beside them, or else here. */
	snprintf(mm, sizeof(mm), "-iquote%s/../mm", job->kernel_headers);
	snprintf(kfence, sizeof(kfence), "-iquote%s/../mm/kfence", job->kernel_headers);
	snprintf(object, sizeof(object), "%s/%u.o", job->folder, number);
	for (unsigned int i = 0; i < ARRAY_SIZE(compiler_flags); i++)
		argv[n++] = compiler_flags[i];
	argv[n++] = kernel;
	argv[n++] = public;
	argv[n++] = mm;
	argv[n++] = kfence;
	argv[n++] = modname;
	argv[n++] = basename;
	for (unsigned int i = 0; i < job->nr_flags; i++)
		argv[n++] = job->flags[i];
	mode = n;
	argv[n++] = "-c";
	argv[n++] = "-o";
	argv[n++] = object;
	argv[n++] = job->sources[number];
	argv[n] = NULL;
	if (run_to_end(job, (char **)argv, STDERR_FILENO, missing))
		return true;
	if (!*missing) {
		argv[mode] = "-E";
		argv[mode + 2] = "/dev/null";
		argv[n++] = "-H";
		argv[n] = NULL;
		say_wrong_headers(job, argv);
	}
	return false;
}

/*
 * Writes a linker script that keeps the module's names local to the program. A module may define
 * names that libc or the library has as well; if they were exported, libraries would call the
 * module's functions in place of their own. The names that symbol_find() looks up
 * (kernel/module/module.c) stay global. They are written as patterns, since some linkers refuse
 * undefined names here.
 */
static bool write_exports(const char *path)
{
	FILE *file = fopen(path, "we");
	bool written = file && fputs("{ global: [i]nit_module; [c]leanup_module; local: *; };\n",
				     file) >= 0;

	if (file && fclose(file))
		written = false;
	if (!written)
		fprintf(stderr, "usermm module: %s: %s\n", path, strerror(errno));
	return written;
}

static bool link_objects(const struct module_job *job, bool *missing)
{
	static char objects[MODULE_MAX_ARGUMENTS][PATH_MAX + 16];
	const char *argv[2 * MODULE_MAX_ARGUMENTS + 16], *own[MODULE_MAX_ARGUMENTS];
	unsigned int n = put_compiler(job, argv);
	char rpath[PATH_MAX + 16], exports[PATH_MAX + 32], *slash;

	snprintf(exports, sizeof(exports), EXPORTS_OPTION "%s/exports", job->folder);
	*missing = !write_exports(exports + strlen(EXPORTS_OPTION));
	if (*missing)
		return false;
	argv[n++] = "-pie";
	argv[n++] = "-Xlinker";		/* not -Wl: the folder's name may have a comma */
	argv[n++] = exports;
	for (unsigned int i = 0; i < job->nr_sources; i++) {
		snprintf(objects[i], sizeof(objects[i]), "%s/%u.o", job->folder, i);
		argv[n++] = own[i] = objects[i];
	}
	if (*job->archive && (!*job->library ||
			      !module_has_names_of_libc(own, job->nr_sources, job->script))) {
		argv[n++] = job->archive;
		argv[n++] = job->script;
	} else {
		snprintf(rpath, sizeof(rpath), "-Wl,-rpath,%s", job->library);
		slash = strrchr(rpath, '/');
		*slash = '\0';
		argv[n++] = job->library;
		argv[n++] = job->api_library;
		argv[n++] = rpath;
	}
	argv[n++] = "-o";
	argv[n++] = job->program;
	argv[n] = NULL;
	return run_to_end(job, (char **)argv, STDERR_FILENO, missing);
}

static void say_where_names_are(void)
{
	char path[PATH_MAX];

	for (unsigned int i = 0; i < ARRAY_SIZE(name_lists); i++)
		if (beside_program(name_lists[i], path)) {
			fprintf(stderr, "usermm module: not built; the names that are supported "
					"are listed in %s\n", path);
			return;
		}
	fprintf(stderr, "usermm module: not built; docs/kernel-headers.md of usermm lists the "
			"names that are supported\n");
}

static bool build(const struct module_job *job)
{
	bool built = true, missing = false;

	for (unsigned int i = 0; built && i < job->nr_sources; i++)
		built = compile(job, i, &missing);
	if (built && !job->compile_only)
		built = link_objects(job, &missing);
	if (!built && !missing)
		say_where_names_are();
	return built;
}

static int remove_entry(const char *path, const struct stat *stat, int type, struct FTW *ftw)
{
	(void)stat, (void)type, (void)ftw;
	return remove(path);
}

static bool make_folder(struct module_job *job)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(job->folder, sizeof(job->folder), "%s/usermm-module-XXXXXX",
		 tmp && *tmp ? tmp : "/tmp");
	if (mkdtemp(job->folder)) {
		snprintf(job->program, sizeof(job->program), "%s/module", job->folder);
		snprintf(job->trace, sizeof(job->trace), "%s/trace", job->folder);
		return true;
	}
	fprintf(stderr, "usermm module: %s: %s\n", job->folder, strerror(errno));
	return false;
}

static int run_module(int argc, char **argv)
{
	static struct module_job job = { .timeout = TIMEOUT_SECONDS };
	int code = 1;

	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
		return help_command(&command_module);
	if (!take_arguments(&job, argc, argv))
		return EXIT_USAGE;
	if (!find_headers(&job) || !find_library(&job))
		return EXIT_NO_LIBRARY;
	if (job.command && !library_path(FILES_LIBRARY, job.preload)) {
		fprintf(stderr, "usermm module: " FILES_LIBRARY " is neither beside usermm nor in "
				"../lib; build or install it there\n");
		return EXIT_NO_LIBRARY;
	}
	if (!find_compiler(&job))
		return 1;
	child_signals_hold();
	if (make_folder(&job)) {
		if (build(&job))
			code = job.compile_only ? 0 : module_job_run(&job);
		nftw(job.folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
	}
	child_signals_restore();
	return code;
}

static const struct command_option option_table[] = {
	{ 256, "timeout", "SECONDS",
	  "stop a module that runs longer, and show where (120; 0: never)" },
	{ 257, "linux", "VERSION",
	  "the Linux whose names and rules hold: 4.0 to 7.3, the default" },
	{ 258, "compile-only", NULL, "do not link and run" },
	{ 'o', NULL, "OPTIONS", OPTIONS_HELP },
	{ 0 },
};

static const struct command_exit exits[] = {
	{ .meaning = "init returned 0, or the -EAGAIN of a module that does not want to stay" },
	{ .status = 1, .meaning = "a test failed, or a source does not compile" },
	{ .status = EXIT_USAGE },
	{ .status = EXIT_TIME_UP },
	{ .status = EXIT_NO_LIBRARY },
	{ .name = "128+N", .meaning = "signal N ended the module" },
	{ .name = "else",
	  .meaning = "init's errno; or, if the module loaded, what PROGRAM ended with" },
	{ 0 },
};

static const struct command_example examples[] = {
	{ "usermm module hello.c", "runs the module's init and exit" },
	{ "usermm module table.c table_test.c size=64",
	  "two sources, their KUnit suites, and a parameter" },
	{ "usermm module ring.c -- ./test.sh",
	  "a script that opens, reads, writes and polls the module's files" },
	{ "usermm module --linux=5.10 -o slab_debug=FZPU driver.c",
	  "as Linux 5.10 would compile it, with the debugging of slabs" },
	{ 0 },
};

const struct command command_module = {
	.name = "module",
	.words = "FILE.c... [PARAMETER=VALUE...] [-- PROGRAM ARGUMENTS...]",
	.summary = "compile and run the sources of a kernel module",
	.text = "Compiles the sources against include/kernel, links them together and runs them as "
		"a process: parameters, initcalls, KUnit suites, exits. The log goes to standard "
		"output as dmesg shows it. Memory that the module leaves behind is reported.\n\n"
		"PROGRAM runs between init and exit. It finds the module's files at their usual "
		"places in /proc, /dev and /sys, and so do the programs that it starts. They must "
		"be linked dynamically, since a preloaded library finds the files.\n\n"
		"Flags that begin with -D, -U, -I, -O, -W, -f, -g, -m or -std= are for the "
		"compiler, which the variable CC names. A value of --timeout and --linux stands "
		"behind a `=`.",
	.options = option_table,
	.exits = exits,
	.examples = examples,
	.run = run_module,
};
