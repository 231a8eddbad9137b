// SPDX-License-Identifier: MIT
/* Functions of bitmaps and CPU masks too long to inline. */
#include <linux/bitmap.h>
#include <linux/cpumask.h>
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/slab.h>

unsigned long bitmap_find_next_zero_area_off(unsigned long *map, unsigned long size,
					     unsigned long start, unsigned int nr,
					     unsigned long align_mask, unsigned long offset)
{
	for (;;) {
		unsigned long taken;

		start = find_next_zero_bit(map, size, start);
		start = __ALIGN_MASK(start + offset, align_mask) - offset;
		if (start + nr > size)
			return size + 1;
		taken = find_next_bit(map, start + nr, start);
		if (taken >= start + nr)
			return start;
		start = taken + 1;
	}
}

int bitmap_find_free_region(unsigned long *map, unsigned int bits, int order)
{
	unsigned int nr = 1u << order;
	unsigned long start = bitmap_find_next_zero_area(map, bits, 0, nr, nr - 1);

	if (start >= bits)
		return -ENOMEM;
	bitmap_set(map, (unsigned int)start, nr);
	return (int)start;
}

void bitmap_release_region(unsigned long *map, unsigned int start, int order)
{
	bitmap_clear(map, start, 1u << order);
}

int bitmap_allocate_region(unsigned long *map, unsigned int start, int order)
{
	unsigned int nr = 1u << order;

	if (find_next_bit(map, start + nr, start) < start + nr)
		return -EBUSY;
	bitmap_set(map, start, nr);
	return 0;
}

/* The bits from first to last; of each `group` bits only the first `used` ones. */
struct region {
	unsigned long first, last, used, group;
};

/* Reads a bit's number, or N for the last bit. */
static bool read_bit(char **at, unsigned long nr, unsigned long *bit)
{
	if (**at == 'N') {
		*bit = nr - 1;
		++*at;
		return true;
	}
	if (!isdigit(**at))
		return false;
	*bit = simple_strtoul(*at, at, 10);
	return true;
}

/* Reads "5", "2-9", "0-15:2/4", "all" or "all:1/2". */
static bool read_region(char **at, unsigned long nr, struct region *region)
{
	*region = (struct region){ .last = nr - 1, .used = 1, .group = 1 };
	if (!strncasecmp(*at, "all", 3)) {
		*at += 3;
	} else {
		if (!read_bit(at, nr, &region->first))
			return false;
		region->last = region->first;
		if (**at == '-') {
			++*at;
			if (!read_bit(at, nr, &region->last))
				return false;
		}
	}
	if (**at == ':') {
		++*at;
		if (!read_bit(at, nr, &region->used) || *(*at)++ != '/' ||
		    !read_bit(at, nr, &region->group))
			return false;
	}
	return !**at || **at == ',' || isspace(**at);
}

int bitmap_parselist(const char *text, unsigned long *map, int nr)
{
	struct region region;
	char *at = (char *)text;

	bitmap_zero(map, (unsigned int)nr);
	for (;;) {
		while (*at == ',' || isspace(*at))
			at++;
		if (!*at)
			return 0;
		if (!read_region(&at, (unsigned long)nr, &region) || region.first > region.last ||
		    !region.group || region.used > region.group)
			return -EINVAL;
		if (region.last >= (unsigned long)nr)
			return -ERANGE;
		for (; region.first <= region.last; region.first += region.group)
			bitmap_set(map, (unsigned int)region.first, (unsigned int)
				   min(region.used, region.last - region.first + 1));
	}
}

unsigned long *bitmap_alloc(unsigned int nr, gfp_t gfp)
{
	return kmalloc_array(BITS_TO_LONGS(nr), sizeof(long), gfp);
}

unsigned long *bitmap_zalloc(unsigned int nr, gfp_t gfp)
{
	return bitmap_alloc(nr, gfp | __GFP_ZERO);
}

void bitmap_free(const unsigned long *map)
{
	kfree(map);
}

int cpulist_parse(const char *text, struct cpumask *mask)
{
	return bitmap_parselist(text, cpumask_bits(mask), (int)nr_cpu_ids);
}

ssize_t cpumap_print_to_pagebuf(bool list, char *buffer, const struct cpumask *mask)
{
	if (list)
		return scnprintf(buffer, 4096, "%*pbl\n", cpumask_pr_args(mask));
	return scnprintf(buffer, 4096, "%*pb\n", cpumask_pr_args(mask));
}
