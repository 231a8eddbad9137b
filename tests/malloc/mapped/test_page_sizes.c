/* SPDX-License-Identifier: MIT */
/*
 * The same library on kernels with larger pages: it asks for their size when it runs. Here this
 * program gives the answer. It also defines the calls that take pages, and makes them as strict as
 * such a kernel: an address or size that is no multiple of the page size is refused and counted,
 * and each mapping begins at a multiple.
 *
 * A program's names come before libc's for the libraries that it loads.
 */
#include "child.h"

#include <malloc.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "early_argument.h"
#include "hammer.h"

#define REAL_PAGE_BYTES 4096UL

/* --- The kernel -------------------------------------------------------------------------- */

/* 0: the machine's own page size. The first call sets it, before main() runs. */
static struct {
	bool known;
	size_t page_bytes;
	unsigned long calls, refused;	/* Sync: atomic relaxed */
} kernel;

/* "--pages BYTES" are this program's arguments. Nothing here may allocate. */
static void find_page_size(void)
{
	char text[4096];
	const char *p = early_argument("--pages", text, sizeof(text));

	kernel.known = true;
	for (; p && *p >= '0' && *p <= '9'; p++)
		kernel.page_bytes = kernel.page_bytes * 10 + (size_t)(*p - '0');
}

static size_t page_bytes(void)
{
	if (!kernel.known)
		find_page_size();
	return kernel.page_bytes ? kernel.page_bytes : REAL_PAGE_BYTES;
}

static size_t whole_pages(size_t bytes)
{
	return (bytes + page_bytes() - 1) & ~(page_bytes() - 1);
}

static bool refuses(const void *address)
{
	bool refused = (uintptr_t)address & (page_bytes() - 1);

	__atomic_add_fetch(&kernel.calls, 1, __ATOMIC_RELAXED);
	if (refused) {
		__atomic_add_fetch(&kernel.refused, 1, __ATOMIC_RELAXED);
		errno = EINVAL;
	}
	return refused;
}

/* If the kernel chooses the address: maps more than is wanted, and unmaps the ends. */
static void *map_somewhere(size_t bytes, int protection, int flags, int fd, off_t offset)
{
	size_t total = bytes + page_bytes();
	char *start = (char *)syscall(SYS_mmap, NULL, total, PROT_NONE,
				      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0), *first;

	if (start == MAP_FAILED)
		return MAP_FAILED;
	first = (char *)whole_pages((uintptr_t)start);
	if (first > start)
		syscall(SYS_munmap, start, first - start);
	syscall(SYS_munmap, first + bytes, start + total - (first + bytes));
	return (void *)syscall(SYS_mmap, first, bytes, protection, flags | MAP_FIXED, fd, offset);
}

/* getauxval() for what this program does not answer; 0 if there is no such value. */
static unsigned long told_by_kernel(unsigned long type)
{
	long fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/auxv", O_RDONLY | O_CLOEXEC);
	unsigned long entry[2] = { 0 }, value = 0;

	while (syscall(SYS_read, fd, entry, sizeof(entry)) == sizeof(entry) && entry[0])
		if (entry[0] == type)
			value = entry[1];
	syscall(SYS_close, fd);
	return value;
}

/* The library finds these. */
#pragma GCC visibility push(default)

/* The loader's variable: without the vector that it leads to, the library asks getauxval(). */
void *__libc_stack_end;

unsigned long getauxval(unsigned long type)
{
	return type == AT_PAGESZ ? page_bytes() : told_by_kernel(type);
}

void *mmap(void *addr, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	bytes = whole_pages(bytes);
	if (refuses(addr))
		return MAP_FAILED;
	if (!addr)
		return map_somewhere(bytes, protection, flags, fd, offset);
	return (void *)syscall(SYS_mmap, addr, bytes, protection, flags, fd, offset);
}

int munmap(void *addr, size_t bytes)
{
	return refuses(addr) ? -1 : (int)syscall(SYS_munmap, addr, whole_pages(bytes));
}

int mprotect(void *addr, size_t bytes, int protection)
{
	return refuses(addr) ? -1 : (int)syscall(SYS_mprotect, addr, whole_pages(bytes),
						 protection);
}

int madvise(void *addr, size_t bytes, int advice)
{
	return refuses(addr) ? -1 : (int)syscall(SYS_madvise, addr, whole_pages(bytes), advice);
}

/*
 * Moves the mapping to an address chosen here: the kernel would choose a multiple of its own page
 * size.
 */
void *mremap(void *old, size_t old_bytes, size_t bytes, int flags, ...)
{
	void *new;

	if (refuses(old))
		return MAP_FAILED;
	old_bytes = whole_pages(old_bytes);
	bytes = whole_pages(bytes);
	new = (void *)syscall(SYS_mremap, old, old_bytes, bytes, 0, NULL);
	if (new != MAP_FAILED || !(flags & MREMAP_MAYMOVE))
		return new;
	new = map_somewhere(bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (new == MAP_FAILED)
		return new;
	return (void *)syscall(SYS_mremap, old, old_bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
			       new);
}

#pragma GCC visibility pop

/* --- The work ------------------------------------------------------------------------------ */

/*
 * If a size were rounded up too far, a neighbour would be damaged: blocks of all kinds keep their
 * contents.
 */
static void *work_in_thread(void *seed)
{
	struct prng prng = { (unsigned long)seed };

	for (unsigned int i = 0; i < 6; i++) {
		mixed_work(&prng, 1500);
		malloc_trim(0);
	}
	return NULL;
}

static void valloc_is_of_pages(void)
{
	void *block = NULL;

	CHECK(!posix_memalign(&block, page_bytes(), 1) &&
	      !((uintptr_t)block & (page_bytes() - 1)));
	free(block);
#ifdef __GLIBC__
	block = opaque(pvalloc(1));
	CHECK(block && !((uintptr_t)block & (page_bytes() - 1)));
	CHECK(malloc_usable_size(block) >= page_bytes(), "; %zu", malloc_usable_size(block));
	free(block);
#endif
}

static int work(void)
{
	pthread_t threads[3];

	for (unsigned long i = 0; i < ARRAY_SIZE(threads); i++)
		REQUIRE(!pthread_create(&threads[i], NULL, work_in_thread, (void *)(i + 1)));
	for (unsigned long i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	valloc_is_of_pages();
	CHECK(kernel.page_bytes && kernel.calls, "; the library has not asked this program");
	CHECK(!kernel.refused, "; %lu of %lu calls", kernel.refused, kernel.calls);
	return harness_status();
}

static void live_with(const char *bytes, const char *options)
{
	struct child_again again = { "--pages", bytes, options, 0 };
	struct child_result result;

	child_run(&result, child_exec_again, &again);
	CHECK(child_exited(result.status, 0) && !*result.err, "; pages of %s bytes, %s: %#x %s",
	      bytes, options, result.status, result.err);
}

static void larger_pages(void)
{
	static const char *const sizes[] = { "16384", "65536" };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		live_with(sizes[i], "stats=0");
		live_with(sizes[i], "hardened=1");
		live_with(sizes[i], "kfence_sample=200");
	}
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "larger_pages", larger_pages, true },
	};

	if (argc == 3 && !strcmp(argv[1], "--pages"))
		return work();
	return harness_main(argc, argv, cases, ARRAY_SIZE(cases));
}
