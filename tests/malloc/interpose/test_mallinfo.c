/* SPDX-License-Identifier: MIT */
/* Calls that ask the allocator for figures, or set its parameters. */
#include "child.h"

#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>

/* musl lacks these calls. Only usermm has them there, and <malloc.h> does not declare them. */
#ifndef __GLIBC__
static void nothing_to_ask(void)
{
	skip_on_musl("musl has no mallinfo(3)");
}

TEST_MAIN({ "nothing_to_ask", nothing_to_ask, false })
#else

/* --- Names ---------------------------------------------------------------------- */

static void one_library_has_them_all(void)
{
	static const char *const names[] = {
		"mallinfo", "mallinfo2", "mallopt", "malloc_stats", "malloc_info",
		"__libc_malloc", "__libc_calloc", "__libc_realloc", "__libc_free",
		"__libc_memalign", "__libc_valloc", "__libc_pvalloc", "__libc_mallopt",
		"__libc_mallinfo",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		CHECK(!strcmp(library_of(names[i]), library_of("malloc")), "; %s is in %s",
		      names[i], library_of(names[i]));
}

static void other_names_are_the_same(void)
{
	void *(*other_malloc)(size_t) = dlsym(RTLD_DEFAULT, "__libc_malloc");
	void *(*other_realloc)(void *, size_t) = dlsym(RTLD_DEFAULT, "__libc_realloc");
	void *(*other_memalign)(size_t, size_t) = dlsym(RTLD_DEFAULT, "__libc_memalign");
	void (*other_free)(void *) = dlsym(RTLD_DEFAULT, "__libc_free");
	static const size_t sizes[] = { 0, 1, 100, 5000, 100000, 8 * MIB };

	REQUIRE(other_malloc && other_realloc && other_memalign && other_free);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		free(other_malloc(sizes[i]));
		other_free(malloc(sizes[i]));
		other_free(other_realloc(malloc(sizes[i]), sizes[i] + 1));
		free(other_memalign(4096, sizes[i]));
	}
}

/* The name that programs use which were linked before glibc 2.26. */
#ifdef __x86_64__
void old_free(void *pointer);
__asm__(".symver old_free, cfree@GLIBC_2.2.5");

static void old_name_of_free(void)
{
	old_free(NULL);
	for (size_t size = 1; size <= 16 * MIB; size *= 4)
		old_free(malloc(size));
}
#else
static void old_name_of_free(void)
{
	harness.skipped = "another version there";
}
#endif

/* C23's, which the C library may not have yet. */
static void sized_frees(void)
{
	void (*sized)(void *, size_t) = dlsym(RTLD_DEFAULT, "free_sized");
	void (*aligned)(void *, size_t, size_t) = dlsym(RTLD_DEFAULT, "free_aligned_sized");
	size_t before = mallinfo2().hblks;

	REQUIRE(sized && aligned);
	errno = 77;
	sized(NULL, 0);
	aligned(NULL, 64, 0);
	for (size_t size = 1; size <= 16 * MIB; size *= 4) {
		sized(malloc(size), size);
		sized(calloc(1, size), size);
		aligned(aligned_alloc(64, size), 64, size);
		aligned(aligned_alloc(4096, size), 4096, size);
	}
	CHECK(errno == 77);
	CHECK(mallinfo2().hblks == before);
}

/* --- mallinfo(3) ------------------------------------------------------------------ */

#define NR_BLOCKS 4000

static void check_sums(const struct mallinfo2 *info)
{
	CHECK(info->uordblks + info->fordblks == info->arena, "; %zu + %zu, not %zu",
	      info->uordblks, info->fordblks, info->arena);
	CHECK(!info->smblks && !info->fsmblks);
	CHECK(!info->usmblks);
	CHECK(info->ordblks >= 1);
}

/* The bytes in use grow by each allocation, and fall by each free. */
static void follow_blocks(size_t size)
{
	static void *blocks[NR_BLOCKS];
	struct mallinfo2 before = mallinfo2(), with, after;
	size_t total = 0, part;

	for (unsigned int i = 0; i < NR_BLOCKS; i++) {
		blocks[i] = malloc(size);
		REQUIRE(blocks[i]);
		total += malloc_usable_size(blocks[i]);
	}
	with = mallinfo2();
	for (unsigned int i = 0; i < NR_BLOCKS; i++)
		free(blocks[i]);
	after = mallinfo2();
	check_sums(&with);
	check_sums(&after);
	part = total / 8 + 64 * KIB;
	CHECK(with.uordblks - before.uordblks >= total - part &&
	      with.uordblks - before.uordblks <= total + part,
	      "; size %zu: %zu, then %zu", size, before.uordblks, with.uordblks);
	CHECK(after.uordblks <= before.uordblks + part, "; size %zu: %zu, in the end %zu", size,
	      before.uordblks, after.uordblks);
}

static void mallinfo_follows_blocks(void)
{
	static const size_t sizes[] = { 24, 100, 1000, 5000 };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		follow_blocks(sizes[i]);
}

static void mallinfo_follows_blocks_of_pages(void)
{
	if (skip_with("hardened=1", "those lie between guards, and are mappings"))
		return;
	follow_blocks(40000);
}

static void mallinfo_follows_mappings(void)
{
	struct mallinfo2 before = mallinfo2(), with, after;
	void *blocks[3];

	for (unsigned int i = 0; i < ARRAY_SIZE(blocks); i++) {
		blocks[i] = malloc(64 * MIB);
		REQUIRE(blocks[i]);
	}
	with = mallinfo2();
	CHECK(with.hblks == before.hblks + 3);
	CHECK(with.hblkhd >= before.hblkhd + 3 * 64 * MIB &&
	      with.hblkhd <= before.hblkhd + 3 * 65 * MIB);
	check_sums(&with);
	for (unsigned int i = 0; i < ARRAY_SIZE(blocks); i++)
		free(blocks[i]);
	after = mallinfo2();
	CHECK(after.hblks == before.hblks && after.hblkhd == before.hblkhd);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static void old_mallinfo_is_the_same(void)
{
	void *block = malloc(64 * MIB);
	struct mallinfo old = mallinfo();
	struct mallinfo2 info = mallinfo2();

	CHECK(old.hblks == (int)info.hblks && old.hblkhd == (int)info.hblkhd);
	CHECK(old.arena == (int)info.arena && old.uordblks == (int)info.uordblks);
	CHECK(old.fordblks == (int)info.fordblks);
	free(block);
}
#pragma GCC diagnostic pop

/* --- malloc_stats(3), malloc_info(3) ------------------------------------------------ */

static void write_stats(void *arg)
{
	errno = 77;
	malloc_stats();
	CHECK(errno == 77);
	free(arg);
}

/* Two pairs of numbers; the second pair is the first one plus the mapping. */
static void stats_are_lines(void)
{
	static const char *const labels[] = {
		"Arena 0:", "system bytes", "in use bytes", "Total (incl. mmap):", "system bytes",
		"in use bytes", "max mmap regions", "max mmap bytes",
	};
	unsigned long numbers[ARRAY_SIZE(labels)] = { 0 };
	struct child_result result;
	const char *line = result.err;

	child_run(&result, write_stats, malloc(100 * MIB));
	CHECK(child_exited(result.status, 0), "; wait status %#x", result.status);
	REQUIRE(count_lines(result.err) >= ARRAY_SIZE(labels), "; %s", result.err);
	for (size_t i = 0; i < ARRAY_SIZE(labels); i++) {
		const char *equals = strchr(line, '=');

		/* glibc tells of each arena that there is; the first is enough. */
		CHECK(!strncmp(line, labels[i], strlen(labels[i])), "; not %s: %s", labels[i],
		      line);
		if (equals && equals < strchr(line, '\n'))
			numbers[i] = strtoul(equals + 1, NULL, 10);
		line = strchr(line, '\n') + 1;
	}
	CHECK(numbers[2] && numbers[1] >= numbers[2] && numbers[4] >= numbers[5]);
	CHECK(numbers[4] >= numbers[1] + 100 * MIB && numbers[5] >= numbers[2] + 100 * MIB);
	CHECK(numbers[6] >= 1 && numbers[7] >= 100 * MIB);
}

/* Programs call it through a variable. */
static void stats_follow_stderr(void)
{
	static char text[4096];
	FILE *usual = stderr;

	stderr = fmemopen(text, sizeof(text), "w");
	REQUIRE(stderr);
	malloc_stats();
	fclose(stderr);
	stderr = usual;
	CHECK(!strncmp(text, "Arena 0:\n", 9) && strstr(text, "max mmap bytes"), "; %s", text);
}

static bool came_back;

static void *cancelled(void *arg)
{
	pthread_cancel(pthread_self());
	malloc_stats();
	came_back = true;
	return arg;
}

static void write_stats_when_cancelled(void *arg)
{
	pthread_t thread;

	(void)arg;
	REQUIRE(!pthread_create(&thread, NULL, cancelled, NULL));
	REQUIRE(!pthread_join(thread, NULL));
	CHECK(came_back);
}

static void stats_are_no_cancellation_point(void)
{
	struct child_result result;

	child_run(&result, write_stats_when_cancelled, NULL);
	CHECK(child_exited(result.status, 0) && strstr(result.err, "Arena 0:"),
	      "; wait status %#x %s", result.status, result.err);
}

/* The value of the first such attribute behind the text; 0 if there is none. */
static unsigned long attribute_behind(const char *xml, const char *text, const char *name)
{
	const char *found = strstr(xml, text);

	found = found ? strstr(found, name) : NULL;
	return found ? strtoul(found + strlen(name) + 2, NULL, 10) : 0;
}

static void info_is_xml(void)
{
	void *mapping = malloc(100 * MIB), *small = malloc(100);
	static char text[64 * KIB];
	FILE *stream = fmemopen(text, sizeof(text), "w");
	unsigned int opened = 0, closed = 0;

	REQUIRE(stream && mapping);
	free(small);
	CHECK(malloc_info(1, stream) == EINVAL);
	CHECK(!ftell(stream));
	CHECK(malloc_info(0, stream) == 0);
	fclose(stream);
	for (const char *p = text; (p = strchr(p, '<')); p++)
		opened += p[1] != '/';
	for (const char *p = text; (p = strchr(p, '>')); p++)
		closed += p[-1] == '/';
	for (const char *p = text; (p = strstr(p, "</")); p++)
		closed++;
	CHECK(opened == closed && opened > 10, "; %u, %u", opened, closed);
	CHECK(!strncmp(text, "<malloc version=\"1\">", 20));
	CHECK(!strcmp(text + strlen(text) - 10, "</malloc>\n"));
	CHECK(strstr(text, "<heap nr=\"0\">") && strstr(text, "<sizes>"));
	CHECK(attribute_behind(text, "<total type=\"mmap\"", "count") >= 1);
	CHECK(attribute_behind(text, "<total type=\"mmap\"", "size") >= 100 * MIB);
	CHECK(attribute_behind(text, "<system type=\"current\"", "size") > 0);
	CHECK(attribute_behind(text, "<aspace type=\"total\"", "size") > 0);
	free(mapping);
}

/* --- mallopt(3) ------------------------------------------------------------------------ */

static void mallopt_answers_as_libc(void)
{
	static const struct {
		int parameter, value, answer;
	} calls[] = {
		{ M_MXFAST, 0, 1 }, { M_MXFAST, 64, 1 }, { M_MXFAST, 160, 1 },
		{ M_MXFAST, 161, 0 }, { M_MXFAST, -1, 0 },
		{ M_TRIM_THRESHOLD, 128 * 1024, 1 }, { M_TRIM_THRESHOLD, -1, 1 },
		{ M_TOP_PAD, 0, 1 }, { M_TOP_PAD, 1 << 20, 1 },
		{ M_MMAP_THRESHOLD, 0, 1 }, { M_MMAP_THRESHOLD, 32 << 20, 1 },
		{ M_MMAP_THRESHOLD, -1, 1 },
		{ M_MMAP_MAX, 0, 1 }, { M_MMAP_MAX, 65536, 1 },
		{ M_CHECK_ACTION, 3, 1 }, { M_PERTURB, 0, 1 },
		{ M_ARENA_TEST, 1, 1 }, { M_ARENA_TEST, 0, 1 },
		{ M_ARENA_MAX, 1, 1 }, { M_ARENA_MAX, -1, 1 },
		{ 12345, 1, 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		CHECK(mallopt(calls[i].parameter, calls[i].value) == calls[i].answer,
		      "; mallopt(%d, %d)", calls[i].parameter, calls[i].value);
	free(malloc(1000));
}

#define NR_TOUCHED 250
#define TOUCHED_BYTES 60000u

static long faults_now(void)
{
	struct rusage usage;

	REQUIRE(!getrusage(RUSAGE_SELF, &usage));
	return usage.ru_minflt;
}

static void touch_and_free(void)
{
	static void *blocks[NR_TOUCHED];

	for (unsigned int i = 0; i < NR_TOUCHED; i++) {
		blocks[i] = malloc(TOUCHED_BYTES);
		REQUIRE(blocks[i]);
		memset(blocks[i], 1, TOUCHED_BYTES);
	}
	for (unsigned int i = 0; i < NR_TOUCHED; i++)
		free(blocks[i]);
}

/* Real-time programs touch a heap once, and expect no page faults from then on. */
static void freed_memory_stays_without_trimming(void)
{
	long before;

	CHECK(mallopt(M_TRIM_THRESHOLD, -1) == 1);
	touch_and_free();
	before = faults_now();
	touch_and_free();
	CHECK(faults_now() - before < NR_TOUCHED, "; %ld", faults_now() - before);
	CHECK(mallopt(M_TRIM_THRESHOLD, 128 * 1024) == 1);
}

/* The first case frees memory before any other has. */
TEST_MAIN({ "freed_memory_stays_without_trimming", freed_memory_stays_without_trimming, false },
	  { "one_library_has_them_all", one_library_has_them_all, false },
	  { "other_names_are_the_same", other_names_are_the_same, false },
	  { "old_name_of_free", old_name_of_free, false },
	  { "sized_frees", sized_frees, true },
	  { "mallinfo_follows_blocks", mallinfo_follows_blocks, false },
	  { "mallinfo_follows_blocks_of_pages", mallinfo_follows_blocks_of_pages, false },
	  { "mallinfo_follows_mappings", mallinfo_follows_mappings, false },
	  { "old_mallinfo_is_the_same", old_mallinfo_is_the_same, false },
	  { "stats_are_lines", stats_are_lines, false },
	  { "stats_follow_stderr", stats_follow_stderr, false },
	  { "stats_are_no_cancellation_point", stats_are_no_cancellation_point, false },
	  { "info_is_xml", info_is_xml, false },
	  { "mallopt_answers_as_libc", mallopt_answers_as_libc, false })
#endif
