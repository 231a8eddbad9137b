// SPDX-License-Identifier: MIT
/*
 * Registers that a device shows through a window, page by page: a range of numbers for callers.
 * A register of the device selects the page.
 */
#include "regmap.h"

const struct regmap_range_cfg *regmap_range_of(const struct regmap *map, unsigned int reg)
{
	const struct regmap_range_cfg *range = map->config.ranges;

	for (unsigned int i = 0; i < map->config.num_ranges; i++, range++)
		if (reg >= range->range_min && reg <= range->range_max)
			return range;
	return NULL;
}

static bool is_in_window(const struct regmap_range_cfg *range, unsigned int reg)
{
	return reg >= range->window_start && reg - range->window_start < range->window_len;
}

static unsigned int page_of(const struct regmap_range_cfg *range, unsigned int reg)
{
	return (reg - range->range_min) / range->window_len;
}

bool regmap_is_same_page(const struct regmap *map, unsigned int reg, unsigned int other)
{
	const struct regmap_range_cfg *range = regmap_range_of(map, reg);

	return range && range == regmap_range_of(map, other) &&
	       page_of(range, reg) == page_of(range, other);
}

int regmap_select_page(struct regmap *map, unsigned int *reg, size_t n)
{
	const struct regmap_range_cfg *range = regmap_range_of(map, *reg);
	unsigned int offset, page, selector, target;
	bool is_everywhere;
	int error = 0;

	if (!range)
		return 0;
	offset = (*reg - range->range_min) % range->window_len;
	page = page_of(range, *reg);
	if (n > 1 && (*reg + n - 1 > range->range_max || n > range->window_len - offset))
		return -EINVAL;

	/*
	 * A selector in the window is in each page: to reach it no page needs to be selected. But
	 * what is cached for it in another page has to become what it is there. In the page where
	 * it is itself, selecting would come here again.
	 */
	is_everywhere = is_in_window(range, range->selector_reg);
	selector = range->range_min + page * range->window_len +
		   range->selector_reg - range->window_start;
	target = range->window_start + offset;
	if (n > 1 || target != range->selector_reg ||
	    (is_everywhere && selector != range->selector_reg))
		error = regmap_update_bits_locked(map, range->selector_reg, range->selector_mask,
						  page << range->selector_shift, NULL, false);
	if (!error)
		*reg = target;
	return error;
}

/* No range contains another one's selector or window; its own window may be in it. */
static bool are_apart(const struct regmap_range_cfg *range, const struct regmap_range_cfg *other)
{
	unsigned int window_end = other->window_start + other->window_len - 1;

	return (other->selector_reg < range->range_min || other->selector_reg > range->range_max) &&
	       (window_end < range->range_min || other->window_start > range->range_max);
}

static bool overlap(const struct regmap_range_cfg *range, const struct regmap_range_cfg *other)
{
	return range->range_min <= other->range_max && other->range_min <= range->range_max;
}

int regmap_check_ranges(struct regmap *map)
{
	const struct regmap_range_cfg *ranges = map->config.ranges;
	const unsigned int max = map->config.max_register;

	for (unsigned int i = 0; i < map->config.num_ranges; i++) {
		if (ranges[i].range_max < ranges[i].range_min || ranges[i].range_max > max ||
		    ranges[i].selector_reg > max || !ranges[i].window_len) {
			dev_err(map->dev, "regmap: range %u (%#x to %#x) is not possible\n", i,
				ranges[i].range_min, ranges[i].range_max);
			return -EINVAL;
		}
		for (unsigned int j = 0; j < map->config.num_ranges; j++) {
			if (j == i || (are_apart(&ranges[i], &ranges[j]) &&
				       !overlap(&ranges[i], &ranges[j])))
				continue;
			dev_err(map->dev, "regmap: range %u has numbers that %u needs\n", i, j);
			return -EINVAL;
		}
	}
	return 0;
}

unsigned int regmap_address(const struct regmap *map, unsigned int reg)
{
	const int shift = map->config.reg_shift;

	reg += map->config.reg_base;
	return shift >= 0 ? reg >> shift : reg << -shift;
}
