// SPDX-License-Identifier: MIT
/* What of bitmaps and CPU masks is not worth inlining. */
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

int bitmap_parselist(const char *text, unsigned long *map, int nr)
{
	char *at = skip_spaces(text);

	bitmap_zero(map, (unsigned int)nr);
	while (*at && *at != '\n') {
		unsigned long first, last;

		if (!isdigit(*at))
			return -EINVAL;
		first = last = simple_strtoul(at, &at, 10);
		if (*at == '-') {
			if (!isdigit(at[1]))
				return -EINVAL;
			last = simple_strtoul(at + 1, &at, 10);
		}
		if (last < first)
			return -EINVAL;
		if (last >= (unsigned long)nr)
			return -ERANGE;
		bitmap_set(map, (unsigned int)first, (unsigned int)(last - first + 1));
		at = skip_spaces(at);
		if (*at == ',')
			at = skip_spaces(at + 1);
		else if (*at)
			return -EINVAL;
	}
	return 0;
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
