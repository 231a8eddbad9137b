/* SPDX-License-Identifier: MIT */
#include "os/memory.h"

#include <elf.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/system_call.h"
#include "os/file.h"
#include "os/start/auxiliary.h"
#include "os/text.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_READ 22	/* for old headers */
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MADV_GUARD_REMOVE
#define MADV_GUARD_REMOVE 103
#endif

size_t os_page_bytes(void)
{
	unsigned long bytes = os_auxiliary(AT_PAGESZ);

	return bytes ? bytes : 4096;
}

/* mmap() that keeps errno and returns a negative errno. */
static int map(size_t bytes, int protection, int flags, void **addr)
{
	int saved_errno = errno, error = 0;
	void *result = mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	if (result == MAP_FAILED)
		error = -errno;
	else
		*addr = result;
	errno = saved_errno;
	return error;
}

static int protect(void *addr, size_t bytes, int protection)
{
	int saved_errno = errno, error = 0;

	if (mprotect(addr, bytes, protection))
		error = -errno;
	errno = saved_errno;
	return error;
}

/*
 * If the first try is not aligned, maps more and cuts off both ends. The larger mapping is
 * PROT_NONE until they are cut off, so that they are not charged (overcommit_memory=2).
 */
static int map_aligned(size_t bytes, size_t align, int protection, int flags, void **addr)
{
	size_t page_bytes = os_page_bytes(), total;
	unsigned long start, aligned;
	void *first = NULL;
	int error;

	bytes = ALIGN(bytes, page_bytes);
	error = map(bytes, protection, flags, &first);
	if (error || !((unsigned long)first & (align - 1))) {
		*addr = first;
		return error;
	}
	os_unmap(first, bytes);
	if (__builtin_add_overflow(bytes, align, &total))
		return -ENOMEM;
	error = map(total, PROT_NONE, flags, &first);
	if (error)
		return error;
	start = (unsigned long)first;
	aligned = ALIGN(start, align);
	if (aligned > start)
		os_unmap(first, aligned - start);
	if (aligned + bytes < start + total)
		os_unmap((void *)(aligned + bytes), start + total - aligned - bytes);
	if (protection != PROT_NONE)
		error = protect((void *)aligned, bytes, protection);
	if (error)
		os_unmap((void *)aligned, bytes);
	else
		*addr = (void *)aligned;
	return error;
}

static int advise(void *addr, size_t bytes, int advice)
{
	int saved_errno = errno, error = 0;

	if (madvise(addr, bytes, advice))
		error = -errno;
	errno = saved_errno;
	return error;
}

int os_reserve_dumped(size_t bytes, size_t align, void **addr)
{
	return map_aligned(bytes, align, PROT_NONE, MAP_NORESERVE, addr);
}

int os_reserve(size_t bytes, size_t align, void **addr)
{
	int error = os_reserve_dumped(bytes, align, addr);

	if (!error)
		advise(*addr, bytes, MADV_DONTDUMP);
	return error;
}

/* Linux before 4.17 ignores MAP_FIXED_NOREPLACE and takes the address for a hint. */
static int map_at(void *addr, size_t bytes, int protection)
{
	int saved_errno = errno, error = 0;
	void *result = mmap(addr, bytes, protection,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
			    -1, 0);

	if (result == MAP_FAILED) {
		error = -errno;
	} else if (result != addr) {
		munmap(result, bytes);
		error = -EEXIST;
	}
	errno = saved_errno;
	return error;
}

int os_map_at(void *addr, size_t bytes)
{
	return map_at(addr, bytes, PROT_READ | PROT_WRITE);
}

int os_reserve_at(void *addr, size_t bytes)
{
	return map_at(addr, bytes, PROT_NONE);
}

uint64_t os_address_space_bytes(void)
{
	/* The stack lies near the end of the addresses, which is a power of two. */
	return 1UL << (64 - __builtin_clzl((unsigned long)__builtin_frame_address(0)));
}

/* Was os_map_alone() called? Sync: atomic relaxed; never false again */
static bool maps_alone;

void os_map_alone(void)
{
	atomic_store_relaxed(&maps_alone, true);
}

/* Maps new memory over what is there: it is zero, and has no advice of madvise(2). */
static int map_over(void *addr, size_t bytes, int protection)
{
	int saved_errno = errno, error = 0;

	if (mmap(addr, bytes, protection,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
		error = -errno;
	errno = saved_errno;
	return error;
}

int os_commit(void *addr, size_t bytes)
{
	int error;

	if (atomic_load_relaxed(&maps_alone))
		return map_over(addr, bytes, PROT_READ | PROT_WRITE);
	error = protect(addr, bytes, PROT_READ | PROT_WRITE);
	if (!error)
		advise(addr, bytes, MADV_DODUMP);
	return error;
}

int os_hide(void *addr, size_t bytes)
{
	return protect(addr, bytes, PROT_NONE);
}

int os_show(void *addr, size_t bytes)
{
	return protect(addr, bytes, PROT_READ | PROT_WRITE);
}

/* The kernel's default, if the file cannot be read. */
#define MAX_MAPPINGS_DEFAULT 65530

unsigned long os_max_mappings(void)
{
	char text[32];
	const char *nr = text;

	if (os_read_file("/proc/sys/vm/max_map_count", text, sizeof(text)) <= 0)
		return MAX_MAPPINGS_DEFAULT;
	return text_number(&nr);
}

int os_map(size_t bytes, size_t align, void **addr)
{
	return map_aligned(bytes, align, PROT_READ | PROT_WRITE, 0, addr);
}

int os_map_lazily(size_t bytes, size_t align, void **addr)
{
	return map_aligned(bytes, align, PROT_READ | PROT_WRITE, MAP_NORESERVE, addr);
}

int os_unmap(void *addr, size_t bytes)
{
	int saved_errno = errno, error = 0;

	if (munmap(addr, bytes))
		error = -errno;
	errno = saved_errno;
	return error;
}

bool os_can_map(size_t bytes)
{
	void *addr;

	bytes = ALIGN(max(bytes, 1UL), os_page_bytes());
	if (os_map(bytes, os_page_bytes(), &addr))
		return false;
	os_unmap(addr, bytes);
	return true;
}

int os_remap(void *old, size_t old_bytes, size_t new_bytes, void **addr)
{
	int saved_errno = errno, error = 0;
	void *result = mremap(old, old_bytes, new_bytes, MREMAP_MAYMOVE);

	if (result == MAP_FAILED)
		error = -errno;
	else
		*addr = result;
	errno = saved_errno;
	return error;
}

int os_remap_in_place(void *addr, size_t old_bytes, size_t new_bytes)
{
	int saved_errno = errno;
	int error = mremap(addr, old_bytes, new_bytes, 0) == MAP_FAILED ? -errno : 0;

	errno = saved_errno;
	return error;
}

/* With larger pages there is no trial: the system is trusted. */
#define TRIAL_PAGE_BYTES_MAX (64 * KIB)

/* Room for the one page of the trial: private anonymous memory, none of which is a file's. */
static char trial_room[2 * TRIAL_PAGE_BYTES_MAX] __large_bss;

enum discards { DISCARDS_UNKNOWN, DISCARDS_NOTHING, DISCARDS_CONTENT };
static enum discards discards;	/* Sync: compare-and-swap; one thread finds out */

/*
 * Does MADV_DONTNEED drop a page's content whenever it reports success? Some emulators and filters
 * report success and do nothing. No mapping is made for the trial: a sandbox may forbid that.
 */
static bool discards_in_trial(void)
{
	size_t bytes = os_page_bytes();
	volatile char *page = trial_room + -(unsigned long)trial_room % bytes;

	if (bytes > TRIAL_PAGE_BYTES_MAX)
		return true;
	*page = 1;
	return advise((void *)page, bytes, MADV_DONTNEED) || !*page;
}

bool os_discards(void)
{
	enum discards found = atomic_load_relaxed(&discards);

	if (atomic_load_relaxed(&maps_alone))
		return true;
	if (likely(found != DISCARDS_UNKNOWN))
		return found == DISCARDS_CONTENT;
	/* Until this thread knows, other threads give no memory back. */
	if (!atomic_cas_relaxed(&discards, &found, DISCARDS_NOTHING) || !discards_in_trial())
		return false;
	atomic_store_relaxed(&discards, DISCARDS_CONTENT);
	return true;
}

void os_doubt_discards(void)
{
	atomic_store_relaxed(&discards, DISCARDS_UNKNOWN);
}

int os_discard(void *addr, size_t bytes)
{
	if (atomic_load_relaxed(&maps_alone))
		return map_over(addr, bytes, PROT_READ | PROT_WRITE);
	return os_discards() ? advise(addr, bytes, MADV_DONTNEED) : -EOPNOTSUPP;
}

int os_withdraw(void *addr, size_t bytes)
{
	return map_over(addr, bytes, PROT_NONE);
}

void os_unmap_or_discard(void *addr, size_t bytes)
{
	if (os_unmap(addr, bytes))
		os_discard(addr, bytes);
}

int os_huge_pages(void *addr, size_t bytes, bool wanted)
{
	if (atomic_load_relaxed(&maps_alone))
		return -EPERM;
	return advise(addr, bytes, wanted ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
}

int os_prefault(void *addr, size_t bytes)
{
	return advise(addr, bytes, MADV_POPULATE_WRITE);
}

bool os_is_readable(void *addr, size_t bytes)
{
	return !advise(addr, bytes, MADV_POPULATE_READ);
}

int os_unlock(void *addr, size_t bytes)
{
	return (int)system_call(SYS_munlock, addr, bytes);
}

/*
 * Asks mremap(2) to grow the range as far as the stack, which must fail; nothing changes. If the
 * range is several mappings, the error is EFAULT. If it is one, the error is ENOMEM, or EAGAIN if
 * the mapping is locked and RLIMIT_MEMLOCK forbids more.
 */
static bool can_be_one_mapping(void *addr, size_t bytes)
{
	int error = os_remap_in_place(addr, bytes, os_address_space_bytes() - os_page_bytes());

	return error == -ENOMEM || error == -EAGAIN;
}

/*
 * Does can_be_one_mapping() tell one mapping from two? An emulator may check the new length first,
 * and give both the same error. So this tries two pages, first with the same protection, then with
 * different ones.
 */
static bool find_out_mappings(void)
{
	size_t page_bytes = os_page_bytes();
	bool are_told_apart;
	void *pages;

	if (os_map_lazily(2 * page_bytes, page_bytes, &pages))
		return false;
	are_told_apart = can_be_one_mapping(pages, 2 * page_bytes) && !os_hide(pages, page_bytes) &&
			 !can_be_one_mapping(pages, 2 * page_bytes);
	os_unmap(pages, 2 * page_bytes);
	return are_told_apart;
}

static bool mappings_are_told_apart(void)
{
	static enum { UNKNOWN, NO, YES } known;	/* Sync: atomic relaxed; all find out the same */

	if (atomic_load_relaxed(&known) == UNKNOWN)
		atomic_store_relaxed(&known, find_out_mappings() ? YES : NO);
	return atomic_load_relaxed(&known) == YES;
}

bool os_is_one_mapping(void *addr, size_t bytes)
{
	return mappings_are_told_apart() && can_be_one_mapping(addr, bytes);
}

/*
 * Removes guards of MADV_GUARD_INSTALL. Linux before 6.13 has none, and does not know the advice.
 */
static int remove_guards(void *addr, size_t bytes)
{
	static bool are_unknown;	/* Sync: atomic relaxed */
	int error = 0;

	if (!atomic_load_relaxed(&are_unknown))
		error = advise(addr, bytes, MADV_GUARD_REMOVE);
	if (error != -EINVAL)
		return error;
	atomic_store_relaxed(&are_unknown, true);
	return 0;
}

static int undo_changes(void *addr, size_t bytes)
{
	/*
	 * MADV_WIPEONFORK fails for memory that is not private and anonymous. MADV_KEEPONFORK
	 * undoes it.
	 */
	static const int advices[] = { MADV_DODUMP, MADV_WIPEONFORK, MADV_KEEPONFORK, MADV_DOFORK };
	int error = os_unlock(addr, bytes);

	if (!error)
		error = protect(addr, bytes, PROT_READ | PROT_WRITE);
	for (unsigned int i = 0; i < ARRAY_SIZE(advices) && !error; i++)
		error = advise(addr, bytes, advices[i]);
	return error;
}

bool os_locks_new_memory(void)
{
	size_t bytes = os_page_bytes();
	void *page;
	bool locked;

	if (os_map_lazily(bytes, bytes, &page))
		return true;
	locked = os_discard(page, bytes);
	os_unmap(page, bytes);
	return locked;
}

/*
 * After mlockall(2) the last page is locked, too, and cannot be discarded. If new memory is locked
 * as well (MCL_FUTURE), the page is still as a new one would be, except that it keeps its content.
 */
int os_make_plain(void *addr, size_t bytes)
{
	size_t page_bytes = os_page_bytes();
	int error = advise((char *)addr + bytes - page_bytes, page_bytes, MADV_DONTNEED);

	if (error && (error != -EINVAL || !os_locks_new_memory()))
		return error;
	if (!mappings_are_told_apart())
		return error ? error : undo_changes(addr, bytes);
	return can_be_one_mapping(addr, bytes) ? remove_guards(addr, bytes) : -EINVAL;
}

/* Sync: written by os_shared_open(), before anything is mapped */
static int shared_fd = -1;

int os_shared_open(size_t bytes)
{
	int fd = (int)system_call(SYS_memfd_create, "usermm", MFD_CLOEXEC);
	int error = fd < 0 ? fd : (int)system_call(SYS_ftruncate, fd, bytes);

	if (error && fd >= 0)
		os_close_file(fd);
	shared_fd = error ? -1 : fd;
	return error;
}

int os_shared_map(void *addr, size_t bytes, size_t offset)
{
	int saved_errno = errno, error = 0;

	if (mmap(addr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, shared_fd,
		 (off_t)offset) == MAP_FAILED)
		error = -errno;
	errno = saved_errno;
	return error;
}

int os_shared_descriptor(void)
{
	return shared_fd;
}

int os_shared_discard(void *addr, size_t bytes)
{
	return advise(addr, bytes, MADV_REMOVE);
}

FOR_KERNEL(os_reserve);
FOR_KERNEL(os_shared_descriptor);
FOR_KERNEL(os_unmap);
