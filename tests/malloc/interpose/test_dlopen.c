/* SPDX-License-Identifier: MIT */
/*
 * Libraries are loaded and unloaded while threads allocate: the system's, and libraries that
 * allocate in constructors and have thread-local storage. The latter are built here; without a
 * compiler these cases are skipped.
 */
#include "child.h"

#include <dlfcn.h>

#include "hammer.h"

#define NR_PLUGINS 300

/* Not linked to this program. */
static const char *const system_libraries[] = {
	"libresolv.so.2", "libthread_db.so.1", "libz.so.1", "libnss_files.so.2",
	"libutil.so.1",
};

static void system_libraries_come_and_go(void)
{
	unsigned int nr_loaded = 0;

	start_hammers();
	for (unsigned int i = 0; i < 1000; i++) {
		void *library = dlopen(system_libraries[i % ARRAY_SIZE(system_libraries)],
				       i % 2 ? RTLD_NOW : RTLD_LAZY);

		if (!library)
			continue;
		nr_loaded++;
		dlsym(library, "no_such_symbol");
		free(malloc(100));
		CHECK(!dlclose(library));
	}
	stop_hammers();
	CHECK(nr_loaded >= 100, "; %u loaded", nr_loaded);
}

/* --- Built here ---------------------------------------------------------------- */

static char folder[] = "/tmp/usermm-dlopen-XXXXXX";

static const char plugin_source[] =
	"#include <stdlib.h>\n"
	"#include <string.h>\n"
	"static void *block;\n"
	"static _Thread_local char own[500];\n"
	"__attribute__((constructor)) static void start(void)\n"
	"{ block = malloc(1000); memset(block, 1, 1000); }\n"
	"__attribute__((destructor)) static void end(void) { free(block); }\n"
	"int touch(void) { own[17]++; free(calloc(1, 3000)); return own[17]; }\n";

/*
 * Asks for impossible sizes, in a program without C++ of its own, first without a new-handler, then
 * with one that gives up at its third call. A wrong alignment is refused without calling the
 * handler.
 */
static const char cxx_source[] =
	"#include <cstdint>\n"
	"#include <new>\n"
	"#include <string>\n"
	"static volatile std::size_t size = SIZE_MAX / 2;\n"
	"static int calls;\n"
	"static void handle() { if (++calls == 3) std::set_new_handler(nullptr); }\n"
	"static std::align_val_t align(std::size_t n) { return std::align_val_t(n); }\n"
	"template <typename Function> static bool throws(Function function)\n"
	"{\n"
	"	try { function(); } catch (const std::bad_alloc &) { return true; }\n"
	"	return false;\n"
	"}\n"
	"static bool is_refused(int expected)\n"
	"{\n"
	"	std::new_handler handler = expected ? handle : nullptr;\n"
	"	auto again = [&] { calls = 0; std::set_new_handler(handler); return true; };\n"
	"	auto called = [&] { return calls == expected; };\n"
	"	return again() && !operator new(size, std::nothrow) && called() &&\n"
	"		again() && !operator new[](size, std::nothrow) && called() &&\n"
	"		again() && !operator new(size, align(64), std::nothrow) && called() &&\n"
	"		again() && throws([] { return operator new(size); }) && called() &&\n"
	"		again() && throws([] { return operator new[](size); }) && called() &&\n"
	"		again() && throws([] { return operator new(size, align(64)); }) &&\n"
	"		called() && again() &&\n"
	"		throws([] { return operator new(10, align(3)); }) &&\n"
	"		throws([] { return operator new(10, align(0)); }) &&\n"
	"		!operator new(10, align(48), std::nothrow) && !calls;\n"
	"}\n"
	"extern \"C\" int touch()\n"
	"{\n"
	"	int *volatile block = new (std::nothrow) int[10];\n"
	"	delete[] block;\n"
	"	if (!is_refused(0) || !is_refused(3))\n"
	"		return 2;\n"
	"	return (int)std::string(500, 'x').size();\n"
	"}\n";

/* An auditor: it is loaded before all else, into a namespace of its own. */
static const char audit_source[] =
	"#define _GNU_SOURCE\n"
	"#include <link.h>\n"
	"#include <stdlib.h>\n"
	"unsigned int la_version(unsigned int version)\n"
	"{ free(malloc(100)); return version; }\n"
	"unsigned int la_objopen(struct link_map *map, Lmid_t id, uintptr_t *cookie)\n"
	"{ (void)map; (void)id; (void)cookie; free(malloc(5000));\n"
	"  return LA_FLG_BINDTO | LA_FLG_BINDFROM; }\n";

#ifndef RTLD_DEEPBIND
#define RTLD_DEEPBIND 0
#endif

/* Finds libc's functions before the program's, unless the flag is left out. */
static const char deep_source[] =
	"#include <stdlib.h>\n"
	"#include <string.h>\n"
	"char *give(void) { return malloc(100); }\n"
	"char *change(char *block)\n"
	"{ char *copy = strdup(block); free(block); return realloc(copy, 5000); }\n";

/* Needs a library in its own folder, where only its own search path finds it. */
static const char outer_source[] =
	"#include <dlfcn.h>\n"
	"void *open_inner(int mode) { return dlopen(\"inner.so\", mode); }\n";

static bool build(const char *name, const char *source, const char *compiler)
{
	const char *language = strncmp(compiler, "c++", 3) ? "c" : "cc";
	char path[256], command[1024];
	FILE *file;

	if (strstr(folder, "XXXXXX"))
		REQUIRE(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/%s.%s", folder, name, language);
	file = fopen(path, "w");
	REQUIRE(file && fputs(source, file) >= 0 && !fclose(file));
	snprintf(command, sizeof(command), "set -- %s; command -v $1 >/dev/null", compiler);
	if (system(command)) {
		harness.skipped = "no compiler";
		return false;
	}
	snprintf(command, sizeof(command), "%s -O1 -shared -fPIC -o %s/%s.so %s", compiler,
		 folder, name, path);
	return CHECK(!system(command));
}

static void remove_folder(void)
{
	char command[256];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	if (!strstr(folder, "XXXXXX") && system(command))
		dprintf(STDOUT_FILENO, "# %s stays behind\n", folder);
}

static int (*load(const char *name, unsigned int number, void **library))(void)
{
	char path[256];

	snprintf(path, sizeof(path), number ? "%s/%s%u.so" : "%s/%s.so", folder, name, number);
	*library = dlopen(path, RTLD_NOW);
	REQUIRE(*library, "; %s", dlerror());
	return (int (*)(void))dlsym(*library, "touch");
}

/* The loader recognises a library by its file, so each needs a file of its own. */
static void copy_plugin(unsigned int nr)
{
	char command[512];

	snprintf(command, sizeof(command),
		 "cd %s && i=1 && while [ $i -le %u ]; do cp plugin.so plugin$i.so || exit 1; "
		 "i=$((i + 1)); done", folder, nr);
	REQUIRE(!system(command));
}

static void plugin_comes_and_goes(void)
{
	if (!build("plugin", plugin_source, "cc"))
		return;
	start_hammers();
	for (unsigned int i = 0; i < 500; i++) {
		void *library;
		int (*touch)(void) = load("plugin", 0, &library);

		CHECK(touch && touch() == 1);
		CHECK(!dlclose(library));
	}
	stop_hammers();
}

static int (*touches[NR_PLUGINS])(void);

static void *touch_all(void *arg)
{
	for (unsigned int i = 0; i < NR_PLUGINS; i++)
		CHECK(touches[i]() == 1);
	return arg;
}

/* More thread-local storage than the loader has room for in advance: it allocates the rest. */
static void many_plugins_at_once(void)
{
	static void *libraries[NR_PLUGINS];
	pthread_t threads[4];

	if (!build("plugin", plugin_source, "cc"))
		return;
	copy_plugin(NR_PLUGINS);
	for (unsigned int i = 0; i < NR_PLUGINS; i++)
		touches[i] = load("plugin", i + 1, &libraries[i]);
	for (unsigned int i = 0; i < ARRAY_SIZE(threads); i++)
		REQUIRE(!pthread_create(&threads[i], NULL, touch_all, NULL));
	for (unsigned int i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	for (unsigned int i = 0; i < NR_PLUGINS; i++)
		CHECK(!dlclose(libraries[i]));
}

static void run_cxx_plugin(void *arg)
{
	void *library;
	int (*touch)(void) = load("cxx", 0, &library);

	(void)arg;
	CHECK(touch() == 500);
	CHECK(!dlclose(library));
}

static void run_cxx_out_of_memory(const char *compiler)
{
	struct child_result result;

	if (!build("cxx", cxx_source, compiler))
		return;
	child_run(&result, run_cxx_plugin, NULL);
	CHECK(child_exited(result.status, 0), "; wait status %#x %s", result.status,
	      result.err);
}

/* The C++ runtime arrives after the first allocation. */
static void cxx_plugin_runs_out_of_memory(void)
{
	run_cxx_out_of_memory("c++ -std=c++17");
}

/* Only the plugin has the C++ runtime. */
static void cxx_plugin_with_its_own_runtime(void)
{
	run_cxx_out_of_memory("c++ -std=c++17 -static-libstdc++ -static-libgcc");
}

static void run_deep_plugin(void *arg)
{
	char path[256], *block;
	void *library;

	(void)arg;
	snprintf(path, sizeof(path), "%s/deep.so", folder);
	library = dlopen(path, RTLD_NOW | RTLD_DEEPBIND);
	REQUIRE(library, "; %s", dlerror());
	free(((char *(*)(void))dlsym(library, "give"))());
	block = ((char *(*)(char *))dlsym(library, "change"))(strdup("text"));
	CHECK(!strcmp(block, "text"));
	free(block);
	CHECK(!dlclose(library));
}

/* Program and plugin free each other's blocks, as PHP and its extensions do. */
static void plugin_binds_deeply(void)
{
	struct child_result result;

	if (!build("deep", deep_source, "cc"))
		return;
	child_run(&result, run_deep_plugin, NULL);
	CHECK(child_exited(result.status, 0), "; wait status %#x %s", result.status,
	      result.err);
}

/*
 * The search path is that of the file that calls dlopen(), although the call passes through usermm.
 */
static void plugin_finds_its_own(void)
{
	void *outer, *inner;
	char path[256];

	if (!build("inner", plugin_source, "cc") ||
	    !build("outer", outer_source, "cc -Wl,-rpath,\\$ORIGIN"))
		return;
	snprintf(path, sizeof(path), "%s/outer.so", folder);
	outer = dlopen(path, RTLD_NOW);
	REQUIRE(outer, "; %s", dlerror());
	inner = ((void *(*)(int))dlsym(outer, "open_inner"))(RTLD_NOW | RTLD_DEEPBIND);
	CHECK(inner, "; %s", dlerror());
	CHECK(!inner || !dlclose(inner));
	CHECK(!dlclose(outer));
}

static void run_audited(void *arg)
{
	char path[256];

	(void)arg;
	snprintf(path, sizeof(path), "%s/audit.so", folder);
	setenv("LD_AUDIT", path, 1);
	execl("/bin/sh", "sh", "-c", "exit $(/bin/echo 23)", (char *)NULL);
}

static void under_an_auditor(void)
{
	struct child_result result;

	if (!build("audit", audit_source, "cc"))
		return;
	child_run(&result, run_audited, NULL);
	CHECK(child_exited(result.status, 23) && !*result.err, "; wait status %#x %s",
	      result.status, result.err);
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "system_libraries_come_and_go", system_libraries_come_and_go, false },
		{ "plugin_comes_and_goes", plugin_comes_and_goes, false },
		{ "many_plugins_at_once", many_plugins_at_once, false },
		{ "cxx_plugin_runs_out_of_memory", cxx_plugin_runs_out_of_memory, false },
		{ "cxx_plugin_with_its_own_runtime", cxx_plugin_with_its_own_runtime, false },
		{ "plugin_binds_deeply", plugin_binds_deeply, false },
		{ "plugin_finds_its_own", plugin_finds_its_own, false },
		{ "under_an_auditor", under_an_auditor, false },
	};
	int status = harness_main(argc, argv, cases, ARRAY_SIZE(cases));

	remove_folder();
	return status;
}
