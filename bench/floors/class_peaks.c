// SPDX-License-Identifier: MIT
/*
 * A floor for the memory of a long life: the load of suite soak (bench/suites/soak.c) without an
 * allocator, without threads and without tables. Sizes are rounded up to classes, and each class
 * has slabs of its own. A new object goes to the class's slab that has the lowest number of those
 * with room, so that later slabs become empty; an empty slab goes back at once. Nothing is kept
 * for a CPU. Prints what of the live bytes is needed, the most that was seen:
 *
 *	rounded		the objects, rounded up to their classes
 *	pages		pages with an object: what is left if free pages inside slabs go back
 *	slabs		slabs with an object
 *	fullest		the sum of what each class had at its own fullest moment: what is left
 *			if classes give nothing back
 *
 * usage: cc -O2 -o class_peaks class_peaks.c && ./class_peaks [MIB [MILLIONS_OF_PAIRS [STEPS]]]
 * STEPS classes lie in each doubling; without it, 4, 8 and 16.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIN_SHIFT 4
#define MAX_SHIFT 14
#define CLASSES_MAX 400
#define SLABS_MAX (1u << 17)		/* of one class */
#define PAGE 4096ul
#define SLAB_BYTES 32768ul
#define SLAB_OBJECTS_MAX (SLAB_BYTES / 16)
#define SLAB_PAGES (SLAB_BYTES / PAGE)

struct slab {
	unsigned short used;
	unsigned short in_page[SLAB_PAGES];	/* objects that touch the page */
	unsigned char *taken;			/* a byte for each object */
};

struct class {
	unsigned long bytes, per_slab, live, fullest, nr_slabs;
	struct slab *slabs;
	unsigned long *roomy;			/* a bit for each slab with room */
	unsigned long first;			/* no lower word of roomy has a bit */
};

struct object {
	unsigned int class, slab, index, bytes;
};

static struct class classes[CLASSES_MAX];
static unsigned int nr_classes;
static unsigned long live, rounded, slabs_now, pages_now;
static double most_rounded, most_pages, most_slabs, most_fullest;

static unsigned long next_random(unsigned long *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static unsigned int random_bytes(unsigned long *state)
{
	unsigned long random = next_random(state);
	unsigned long least = 1ul << (MIN_SHIFT + random % (MAX_SHIFT - MIN_SHIFT));

	return (unsigned int)((least + (random >> 32) % least) & ~7ul);
}

static void *zeroed(size_t nr, size_t bytes)
{
	void *memory = calloc(nr, bytes);

	if (!memory) {
		fprintf(stderr, "class_peaks: out of memory; give fewer MIB\n");
		exit(1);
	}
	return memory;
}

/* `steps` classes in each doubling, 16 bytes apart at least. */
static void make_classes(unsigned int steps)
{
	memset(classes, 0, sizeof(classes));
	nr_classes = 0;
	for (unsigned long bytes = 16; bytes <= 1ul << MAX_SHIFT;) {
		unsigned long doubling = 16;

		while (doubling * 2 <= bytes)
			doubling *= 2;
		classes[nr_classes].bytes = bytes;
		classes[nr_classes].per_slab = SLAB_BYTES / bytes;
		classes[nr_classes].slabs = zeroed(SLABS_MAX, sizeof(struct slab));
		classes[nr_classes++].roomy = zeroed(SLABS_MAX / 64 + 1, sizeof(long));
		bytes += doubling / steps > 16 ? doubling / steps : 16;
	}
}

static void end_classes(void)
{
	for (unsigned int c = 0; c < nr_classes; c++) {
		for (unsigned long s = 0; s < SLABS_MAX; s++)
			free(classes[c].slabs[s].taken);
		free(classes[c].slabs);
		free(classes[c].roomy);
	}
}

static unsigned int class_of(unsigned long bytes)
{
	unsigned int low = 0, high = nr_classes - 1;

	while (low < high) {
		unsigned int middle = (low + high) / 2;

		if (classes[middle].bytes < bytes)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Counts the object in its pages (step 1), or no more (step -1). */
static void count_pages(struct class *class, struct slab *slab, unsigned int index, int step)
{
	unsigned long start = index * class->bytes, last = start + class->bytes - 1;

	for (unsigned long page = start / PAGE; page <= last / PAGE; page++) {
		pages_now -= slab->in_page[page] != 0;
		slab->in_page[page] = (unsigned short)(slab->in_page[page] + step);
		pages_now += slab->in_page[page] != 0;
	}
}

/* The number of the lowest slab with room; a new one, if there is none. */
static unsigned int slab_with_room(struct class *class)
{
	for (; class->first * 64 < class->nr_slabs; class->first++)
		if (class->roomy[class->first])
			return (unsigned int)(class->first * 64 +
				(unsigned int)__builtin_ctzl(class->roomy[class->first]));
	if (class->nr_slabs == SLABS_MAX) {
		fprintf(stderr, "class_peaks: too many slabs; give fewer MIB\n");
		exit(1);
	}
	class->first = class->nr_slabs / 64;
	class->slabs[class->nr_slabs].taken = zeroed(1, SLAB_OBJECTS_MAX);
	class->roomy[class->first] |= 1ul << class->nr_slabs % 64;
	return (unsigned int)class->nr_slabs++;
}

static struct object take(unsigned int bytes)
{
	struct object object = { .class = class_of(bytes), .bytes = bytes };
	struct class *class = &classes[object.class];
	struct slab *slab;

	object.slab = slab_with_room(class);
	slab = &class->slabs[object.slab];
	while (slab->taken[object.index])
		object.index++;
	slab->taken[object.index] = 1;
	slabs_now += !slab->used++;
	if (slab->used == class->per_slab)
		class->roomy[object.slab / 64] &= ~(1ul << object.slab % 64);
	count_pages(class, slab, object.index, 1);
	live += bytes;
	rounded += class->bytes;
	if (++class->live > class->fullest)
		class->fullest = class->live;
	return object;
}

static void give(const struct object *object)
{
	struct class *class = &classes[object->class];
	struct slab *slab = &class->slabs[object->slab];

	slab->taken[object->index] = 0;
	slabs_now -= !--slab->used;
	class->roomy[object->slab / 64] |= 1ul << object->slab % 64;
	if (class->first > object->slab / 64)
		class->first = object->slab / 64;
	count_pages(class, slab, object->index, -1);
	live -= object->bytes;
	rounded -= class->bytes;
	class->live--;
}

static void note(unsigned long target)
{
	double of = (double)target, fullest = 0;

	for (unsigned int c = 0; c < nr_classes; c++)
		fullest += (double)(classes[c].fullest * classes[c].bytes) / of;
	most_fullest = fullest;
	if ((double)rounded / of > most_rounded)
		most_rounded = (double)rounded / of;
	if ((double)(pages_now * PAGE) / of > most_pages)
		most_pages = (double)(pages_now * PAGE) / of;
	if ((double)(slabs_now * SLAB_BYTES) / of > most_slabs)
		most_slabs = (double)(slabs_now * SLAB_BYTES) / of;
}

static void run(unsigned int steps, unsigned long target, unsigned long pairs)
{
	unsigned long takes = 88172645463325252ul, gives = 1181783497276652981ul;
	struct object *pool = zeroed(target / 256, sizeof(*pool));
	unsigned long nr = 0, pool_max = target / 256;

	make_classes(steps);
	live = rounded = slabs_now = pages_now = 0;
	most_rounded = most_pages = most_slabs = most_fullest = 0;
	for (unsigned long pair = 0; pair < pairs;) {
		pool[nr++] = take(random_bytes(&takes));
		for (; live > target || nr == pool_max; pair++) {
			unsigned long any = next_random(&gives) % nr;

			give(&pool[any]);
			pool[any] = pool[--nr];
		}
		if (pair % 1024 == 0)
			note(target);
	}
	note(target);
	printf("%4u %8u %8.3f %8.3f %8.3f %8.3f\n", steps, nr_classes, most_rounded, most_pages,
	       most_slabs, most_fullest);
	fflush(stdout);
	end_classes();
	free(pool);
}

int main(int argc, char **argv)
{
	unsigned long mib = argc > 1 ? strtoul(argv[1], NULL, 10) : 370;
	unsigned long millions = argc > 2 ? strtoul(argv[2], NULL, 10) : 20;
	unsigned int wanted = argc > 3 ? (unsigned int)strtoul(argv[3], NULL, 10) : 0;
	unsigned int from = wanted ? wanted : 4, to = wanted ? wanted : 16;

	if (!mib || mib > 1 << 20 || !millions || wanted > 64 || (argc > 3 && !wanted)) {
		fputs("usage: class_peaks [MIB [MILLIONS_OF_PAIRS [STEPS]]]: all above 0, STEPS at "
		      "most 64\n", stderr);
		return 2;
	}
	printf("%lu MiB live, %lu million pairs, slabs of %lu KiB\n", mib, millions,
	       SLAB_BYTES >> 10);
	printf("%4s %8s %8s %8s %8s %8s\n", "/dbl", "classes", "rounded", "pages", "slabs",
	       "fullest");
	for (unsigned int steps = from; steps <= to; steps *= 2)
		run(steps, mib << 20, millions * 1000000);
	return 0;
}
