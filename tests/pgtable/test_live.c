/* SPDX-License-Identifier: MIT */
/*
 * The address space of a live process: built again from its maps and its pagemap
 * (Linux Documentation/admin-guide/mm/pagemap.rst), and every page compared.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/kernel.h"
#include "walker.h"

#define PAGEMAP_PRESENT (1ull << 63)
#define PAGEMAP_FRAME ((1ull << 55) - 1)
#define TOUCHED_BYTES (64ul << 20)
#define SPARSE_BYTES (2ul << 30)
#define AREA_BYTES_MAX (1ul << 38)

struct process {
	pid_t pid;
	int pagemap;
	FILE *maps;
};

/* Has a dense and a sparse area, and waits to be killed. */
static void live(int ready)
{
	char *dense = mmap(NULL, TOUCHED_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *sparse = mmap(NULL, SPARSE_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (dense == MAP_FAILED || sparse == MAP_FAILED)
		_exit(1);
	for (unsigned long i = 0; i < TOUCHED_BYTES; i += 3 * PAGE_SIZE)
		dense[i] = 1;
	for (unsigned long i = PAGE_SIZE; i < SPARSE_BYTES; i *= 2)
		sparse[i] = 1;
	if (write(ready, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static void start(struct kunit *test, struct process *process)
{
	char path[64], byte;
	int ready[2];

	KUNIT_ASSERT_EQ(test, pipe(ready), 0);
	process->pid = fork();
	KUNIT_ASSERT_GE(test, process->pid, 0);
	if (!process->pid)
		live(ready[1]);
	close(ready[1]);
	KUNIT_EXPECT_EQ(test, read(ready[0], &byte, 1), 1);
	close(ready[0]);
	snprintf(path, sizeof(path), "/proc/%d/pagemap", process->pid);
	process->pagemap = open(path, O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/%d/maps", process->pid);
	process->maps = fopen(path, "re");
}

static void stop(struct process *process)
{
	if (process->maps)
		fclose(process->maps);
	if (process->pagemap >= 0)
		close(process->pagemap);
	kill(process->pid, SIGKILL);
	waitpid(process->pid, NULL, 0);
}

struct area {
	uint64_t start, end;
	uint64_t flags;
};

/*
 * The next line of maps, or false. Left out are the kernel's upper half, inaccessible areas, and
 * the shadow memory of sanitizers, whose terabytes would take hours.
 */
static bool next_area(const struct process *process, struct area *area)
{
	char line[512], protection[5];

	while (fgets(line, sizeof(line), process->maps)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &area->start, &area->end,
			   protection) != 3 || area->end > PGTABLE_USER_END ||
		    !strcmp(protection, "---p") || area->end - area->start >= AREA_BYTES_MAX)
			continue;
		area->flags = PGTABLE_USER | (protection[1] == 'w' ? PGTABLE_RW : 0) |
			      (protection[2] == 'x' ? 0 : PGTABLE_NX);
		return true;
	}
	return false;
}

/* The address of the page's frame, from the kernel; or 0. */
static uint64_t frame_of(const struct process *process, uint64_t address)
{
	uint64_t entry = 0;

	if (pread(process->pagemap, &entry, sizeof(entry),
		  (off_t)(address / PAGE_SIZE * sizeof(entry))) != sizeof(entry))
		return 0;
	return entry & PAGEMAP_PRESENT ? (entry & PAGEMAP_FRAME) * PAGE_SIZE : 0;
}

/* For each page of each area. */
static unsigned long for_each_page(struct kunit *test, const struct process *process,
				   struct pgtable *mm,
				   void (*fn)(struct kunit *test, struct pgtable *mm,
					      uint64_t address, uint64_t frame, uint64_t flags))
{
	unsigned long present = 0;
	struct area area;

	rewind(process->maps);
	while (next_area(process, &area))
		for (uint64_t address = area.start; address < area.end; address += PAGE_SIZE) {
			uint64_t frame = frame_of(process, address);

			present += !!frame;
			fn(test, mm, address, frame, area.flags);
		}
	return present;
}

static void map_page(struct kunit *test, struct pgtable *mm, uint64_t address, uint64_t frame,
		     uint64_t flags)
{
	if (frame)
		KUNIT_ASSERT_EQ(test, pgtable_map(mm, address, frame, PAGE_SIZE, flags, true,
						  GFP_KERNEL), 0);
}

static void compare_page(struct kunit *test, struct pgtable *mm, uint64_t address,
			 uint64_t frame, uint64_t flags)
{
	struct walker_result walked = { 0 };

	KUNIT_ASSERT_EQ_MSG(test, walker_translate(mm->pgd, address, &walked), !!frame, "%#lx",
			    (unsigned long)address);
	if (!frame)
		return;
	KUNIT_ASSERT_EQ(test, walked.physical, frame);
	KUNIT_ASSERT_EQ(test, walked.writable, !!(flags & PGTABLE_RW));
	KUNIT_ASSERT_EQ(test, walked.executable, !(flags & PGTABLE_NX));
}

static void test_live_process(struct kunit *test)
{
	struct process process;
	unsigned long mapped;
	struct pgtable mm;

	start(test, &process);
	KUNIT_ASSERT_EQ(test, pgtable_init(&mm, &pgtable_quicklist_pages, GFP_KERNEL), 0);
	mapped = process.pagemap >= 0 && process.maps ?
		 for_each_page(test, &process, &mm, map_page) : 0;
	if (mapped) {
		KUNIT_EXPECT_GE(test, mapped, TOUCHED_BYTES / PAGE_SIZE / 3);
		KUNIT_EXPECT_EQ(test, mm.mapped_bytes, mapped * PAGE_SIZE);
		KUNIT_EXPECT_EQ(test, for_each_page(test, &process, &mm, compare_page), mapped);
	}
	stop(&process);
	pgtable_exit(&mm);
	if (!mapped)
		kunit_skip(test, "the kernel tells page frames to CAP_SYS_ADMIN alone");
}

static struct kunit_case cases[] = {
	KUNIT_CASE(test_live_process),
	{ 0 },
};

static struct kunit_suite suite = {
	.name = "pgtable-live",
	.test_cases = cases,
};

kunit_test_suite(suite);
