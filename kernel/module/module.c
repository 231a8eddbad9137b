// SPDX-License-Identifier: MIT
/* Registers and runs initcalls and exits: see module_run.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/init.h>
#include <linux/module.h>
#include <linux/printk.h>

#include "kunit/kunit_run.h"
#include "module_run.h"
#include "files/script.h"
#include "base/linux_version.h"

#define MAX_ENTRIES 256
#define LINE_BYTES 2048		/* longer than any line of the log */

struct module_entry {
	const char *module;
	int (*init)(void);
	void (*exit)(void);
	bool loaded;
};

static struct module_entry registered[MAX_ENTRIES];
static size_t nr_registered;

/*
 * Finds the module's entry that still lacks an init (or an exit), whichever was registered first.
 * If several modules have the same name, the latest one counts.
 */
static struct module_entry *find_half(const char *module, bool wants_init)
{
	for (size_t i = nr_registered; i-- > 0;) {
		struct module_entry *entry = &registered[i];

		if (!strcmp(entry->module, module) &&
		    (wants_init ? !entry->init : !entry->exit))
			return entry;
	}
	return NULL;
}

void usermm_module_entry(const char *module, initcall_t init, exitcall_t exit)
{
	struct module_entry *entry = find_half(module, init != NULL);

	if (!entry) {
		if (nr_registered == MAX_ENTRIES)
			abort();
		entry = &registered[nr_registered++];
		entry->module = module;
	}
	if (init)
		entry->init = init;
	else
		entry->exit = exit;
}

/* Before the sources' own constructors. */
static __attribute__((constructor(101))) void take_newest_version(void)
{
	linux_version = LINUX_VERSION_OF(7, 3);
}

/* A version that is not known yet follows the newest rules. */
void usermm_module_version(unsigned int version)
{
	linux_version = version;
}

/* Registers init_module() and cleanup_module(), which the kernel finds by name, without a macro. */
static void find_by_name(void)
{
	initcall_t init = (initcall_t)symbol_find("init_module");
	exitcall_t exit = (exitcall_t)symbol_find("cleanup_module");

	for (size_t i = 0; i < nr_registered; i++) {
		if (registered[i].init == init)
			init = NULL;
		if (registered[i].exit == exit)
			exit = NULL;
	}
	if (init)
		usermm_module_entry(KBUILD_MODNAME, init, NULL);
	if (exit)
		usermm_module_entry(KBUILD_MODNAME, NULL, exit);
}

/*
 * If exactly one init and one exit have no partner, they become partners: one source of a module
 * has its init, another one its exit.
 */
static void join_halves(void)
{
	struct module_entry *init = NULL, *exit = NULL;
	size_t nr_inits = 0, nr_exits = 0;

	for (size_t i = 0; i < nr_registered; i++) {
		if (!registered[i].exit) {
			init = &registered[i];
			nr_inits++;
		} else if (!registered[i].init) {
			exit = &registered[i];
			nr_exits++;
		}
	}
	if (nr_inits != 1 || nr_exits != 1)
		return;
	init->exit = exit->exit;
	memmove(exit, exit + 1, (size_t)(&registered[--nr_registered] - exit) * sizeof(*exit));
}

/* Writes a line of the log to standard output, in one write. Signal handlers may call this. */
static void print_log_line(int level, u64 nanoseconds, const char *text, size_t length)
{
	char line[LINE_BYTES];
	int size = snprintf(line, sizeof(line), "[%5lu.%06lu] %.*s\n",
			    (unsigned long)(nanoseconds / 1000000000),
			    (unsigned long)(nanoseconds % 1000000000 / 1000), (int)length, text);

	(void)level;
	for (int written = 0; written < size;) {
		ssize_t n = write(STDOUT_FILENO, line + written, (size_t)(size - written));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		written += (int)n;
	}
}

/* Runs one init. Returns the exit status for its result. */
static int load(struct module_entry *entry)
{
	int error;

	modules_state(entry->module, MODULE_STATE_COMING);
	error = entry->init ? entry->init() : 0;
	usermm_printk_flush();
	modules_state(entry->module, error < 0 ? MODULE_STATE_GOING : MODULE_STATE_LIVE);
	if (error == -EAGAIN)
		return 0;
	if (error > 0)
		fprintf(stderr, "usermm module: %s: init returned %d, taken as success\n",
			entry->module, error);
	if (error >= 0) {
		entry->loaded = true;
		return 0;
	}
	fprintf(stderr, "usermm module: %s: init returned %d (%s: %s)\n", entry->module, error,
		strerrorname_np(-error) ? strerrorname_np(-error) : "no errno",
		strerror(-error));
	return error >= -255 ? -error : 255;
}

static int load_all(void)
{
	for (size_t i = 0; i < nr_registered; i++) {
		int status = load(&registered[i]);

		if (status)
			return status;
	}
	return 0;
}

static void unload_all(void)
{
	for (size_t i = nr_registered; i-- > 0;) {
		if (!registered[i].loaded)
			continue;
		modules_leave(registered[i].module);
		if (registered[i].exit)
			registered[i].exit();
		usermm_printk_flush();
		modules_state(registered[i].module, MODULE_STATE_GOING);
	}
}

/* Runs the sources' KUnit suites. Returns the exit status, 0 if nothing failed. */
static int run_suites(void)
{
	struct kunit_runner runner = { .out = stdout, .lock = PTHREAD_MUTEX_INITIALIZER };
	struct kunit_suite *const *suites;
	size_t nr = kunit_registered_suites(&suites);

	if (nr)
		kunit_run_suites(&runner, suites, nr);
	return runner.totals.failed ? MODULE_EXIT_FAILED : 0;
}

/* Sets the parameters. The program behind `--`, NULL if there is none; false if one is wrong. */
static bool take_arguments(int argc, char **argv, char ***program)
{
	*program = NULL;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--")) {
			*program = i + 1 < argc ? argv + i + 1 : NULL;
			break;
		}
		if (!module_set_param(argv[i]))
			return false;
	}
	return true;
}

int module_run(int argc, char **argv)
{
	char **program;
	int status;

	if (!take_arguments(argc, argv, &program))
		return MODULE_EXIT_USAGE;
	usermm_printk_set_sink(print_log_line);
	module_watch_crashes();
	kfence_begin();
	module_leaks_begin();
	find_by_name();
	join_halves();
	modules_join(nr_registered == 1 ? registered[0].module : NULL);
	status = load_all();
	if (!status)
		status = run_suites();
	if (!status && program)
		status = script_run(program);
	unload_all();
	usermm_printk_flush();
	module_leaks_report();
	return status;
}
