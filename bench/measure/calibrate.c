// SPDX-License-Identifier: MIT
/*
 * R is the least possible cost of a per-CPU allocator: one restartable sequence pops a pointer off
 * this CPU's array, another one pushes it back. The sequences are written out here, for an array of
 * their own, and share nothing with the library, so a bug in the library cannot change R.
 */
#define _GNU_SOURCE
#include "calibrate.h"

#include <math.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "floors/announce.h"
#include "percpu/rseq/libc_area.h"
#include "timing.h"

#define ROUNDS 15
#define LOOPS 40000

static __always_inline void locked_add_body(struct bench_run *run)
{
	static unsigned long word[8] __aligned(64);
	uint64_t start = ticks_begin();

	for (unsigned long i = 0; i < run->n; i++)
		__asm__ volatile("" : : "r"(__atomic_fetch_add(&word[0], 1, __ATOMIC_SEQ_CST))
				 : "memory");
	run->ticks[0] = ticks_end() - start;
}

BENCH_PLACED(locked_add, locked_add_body(run));

/* libc's memset(); volatile, so that the compiler does not replace it by its own code. */
static void *(*volatile clear)(void *to, int byte, size_t bytes) = memset;

static __always_inline void memset_page_body(struct bench_run *run)
{
	static char page[4096] __aligned(4096);
	uint64_t start = ticks_begin();

	for (unsigned long i = 0; i < run->n; i++)
		clear(page, 0, sizeof(page));
	run->ticks[0] = ticks_end() - start;
}

BENCH_PLACED(memset_page, memset_page_body(run));

#if defined(__x86_64__)
#define SLOT_SHIFT 12
#define ITEMS 64

struct slot {
	uint32_t count;
	uint32_t limit;
	void *items[ITEMS];
};

/* The sequences' operands; constant while they run. */
struct sequence {
	unsigned long area;	/* address of libc's struct rseq minus the thread pointer */
	struct slot *slots;
	uint32_t nr_slots;
};

/* Announces the sequence from label 1 to label 2, and sets rcx = slots + (cpu_id << SLOT_SHIFT). */
#define SEQUENCE							\
	RSEQ_ANNOUNCE("area", "rcx", "aborted")				\
	"movl %%fs:4(%[area]), %%ecx\n\t"				\
	"cmpl %[nr], %%ecx\n\t"						\
	"jae 2f\n\t"							\
	"shlq %[shift], %%rcx\n\t"					\
	"addq %[slots], %%rcx\n\t"

#define SEQUENCE_INPUTS							\
	[area] "r"(s->area), [slots] "r"(s->slots), [nr] "r"(s->nr_slots),	\
	[shift] "i"(SLOT_SHIFT)

/*
 * Pops the top item; NULL if there is none or the sequence was interrupted. The result operand is
 * initialised to the value for failure, and an empty asm follows, since gcc before 12.4 mishandles
 * other forms of asm goto with outputs.
 */
static __always_inline void *pop(const struct sequence *s)
{
	void *item = NULL;

	__asm__ volatile goto(SEQUENCE
			      "movl (%%rcx), %%edx\n\t"
			      "subl $1, %%edx\n\t"
			      "jc 2f\n\t"
			      "movq 8(%%rcx, %%rdx, 8), %[item]\n\t"
			      "movl %%edx, (%%rcx)\n"	/* commit */
			      "2:\n"
			      : [item] "+&r"(item)
			      : SEQUENCE_INPUTS
			      : "rcx", "rdx", "memory", "cc"
			      : aborted);
	__asm__ volatile("");
	return item;
aborted:
	return NULL;
}

static __always_inline unsigned int push(const struct sequence *s, void *item)
{
	unsigned int pushed = 0;

	__asm__ volatile goto(SEQUENCE
			      "movl (%%rcx), %%edx\n\t"
			      "cmpl 4(%%rcx), %%edx\n\t"
			      "jae 2f\n\t"
			      "movq %[item], 8(%%rcx, %%rdx, 8)\n\t"
			      "leal 1(%%rdx), %[pushed]\n\t"
			      "movl %[pushed], (%%rcx)\n"	/* commit */
			      "2:\n"
			      : [pushed] "+&r"(pushed)
			      : SEQUENCE_INPUTS, [item] "r"(item)
			      : "rcx", "rdx", "memory", "cc"
			      : aborted);
	__asm__ volatile("");
	return pushed;
aborted:
	return 0;
}

/* Retries an interrupted sequence, as any user would. */
static __always_inline void rseq_pair_body(struct bench_run *run)
{
	const struct sequence *s = run->arg;
	unsigned long interrupted = 0;
	uint64_t start = ticks_begin();

	for (unsigned long i = 0; i < run->n; i++) {
		void *item = pop(s);

		if (unlikely(!item)) {
			interrupted++;
			continue;
		}
		while (unlikely(!push(s, item)))
			interrupted++;
	}
	run->ticks[0] = ticks_end() - start;
	run->failed = interrupted > run->n / 100;
}

BENCH_PLACED(rseq_pair, rseq_pair_body(run));

static double measure_rseq_pair(const char **absent)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	struct sequence s = { .nr_slots = cpus > 0 ? (uint32_t)cpus : 1 };
	size_t bytes = (size_t)s.nr_slots << SLOT_SHIFT;
	struct bench_case c = { .loops = rseq_pair, .arg = &s, .n = LOOPS, .bare = 1 };

	*absent = "libc has registered no rseq area";
	if (!libc_has_area || !__rseq_size)
		return NAN;
	s.area = (unsigned long)__rseq_offset;
	s.slots = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	*absent = "no memory for its slots";
	if (s.slots == MAP_FAILED)
		return NAN;
	for (uint32_t i = 0; i < s.nr_slots; i++) {
		struct slot *slot = (struct slot *)((char *)s.slots + ((size_t)i << SLOT_SHIFT));

		slot->count = ITEMS / 2;
		slot->limit = ITEMS;
		for (unsigned int j = 0; j < ITEMS; j++)
			slot->items[j] = &slot->items[j];
	}
	bench_measure(&c, 1, ROUNDS);
	munmap(s.slots, bytes);
	*absent = isnan(c.cycles[0]) ? "the sequences were interrupted all the time" : NULL;
	return c.cycles[0];
}
#else
static double measure_rseq_pair(const char **absent)
{
	*absent = "not written for this architecture";
	return NAN;
}
#endif

/* The median of one of the yardsticks, given by its offset in the struct. */
static double median_of(const struct calibration *calibration, size_t offset)
{
	double values[MAX_CALIBRATIONS];

	for (unsigned int i = 0; i < calibration->nr; i++)
		values[i] = *(const double *)((const char *)&calibration->rounds[i] + offset);
	return bench_median(values, calibration->nr);
}

void calibrate(struct calibration *calibration)
{
	struct bench_case cases[] = {
		{ .loops = locked_add, .n = LOOPS / 2, .bare = 1 },
		{ .loops = memset_page, .n = LOOPS / 20, .bare = 1 },
	};
	struct yardsticks *round;

	if (calibration->nr == MAX_CALIBRATIONS)
		return;
	round = &calibration->rounds[calibration->nr++];
	bench_measure(cases, ARRAY_SIZE(cases), ROUNDS);
	round->locked_add_cycles = cases[0].cycles[0];
	round->memset_page_cycles = cases[1].cycles[0];
	round->rseq_pair_cycles = measure_rseq_pair(&calibration->rseq_absent);
	calibration->median = (struct yardsticks){
		.rseq_pair_cycles =
			median_of(calibration, offsetof(struct yardsticks, rseq_pair_cycles)),
		.locked_add_cycles =
			median_of(calibration, offsetof(struct yardsticks, locked_add_cycles)),
		.memset_page_cycles =
			median_of(calibration, offsetof(struct yardsticks, memset_page_cycles)),
	};
}
