// SPDX-License-Identifier: MIT
/*
 * What each register allows: the config's functions and tables say so. Functions come first.
 */
#include "regmap.h"

bool regmap_reg_in_ranges(unsigned int reg, const struct regmap_range *ranges, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		if (regmap_reg_in_range(reg, &ranges[i]))
			return true;
	return false;
}

bool regmap_check_range_table(struct regmap *map, unsigned int reg,
			      const struct regmap_access_table *table)
{
	(void)map;
	return !regmap_reg_in_ranges(reg, table->no_ranges, table->n_no_ranges) &&
	       (!table->n_yes_ranges ||
		regmap_reg_in_ranges(reg, table->yes_ranges, table->n_yes_ranges));
}

static bool ask(struct regmap *map, unsigned int reg,
		bool (*ask_config)(struct device *, unsigned int),
		const struct regmap_access_table *table, bool without)
{
	if (ask_config)
		return ask_config(map->dev, reg);
	return table ? regmap_check_range_table(map, reg, table) : without;
}

static bool exists(const struct regmap *map, unsigned int reg)
{
	return !map->max_register_is_set || reg <= map->config.max_register;
}

/* Nobody reads a device whose messages share bytes between number and value. */
bool regmap_readable(struct regmap *map, unsigned int reg)
{
	if (map->is_packed || (map->way == BY_FUNCTIONS && !map->config.reg_read) ||
	    (map->way == BY_REGISTERS && !map->bus->reg_read))
		return false;
	return exists(map, reg) &&
	       ask(map, reg, map->config.readable_reg, map->config.rd_table, true);
}

bool regmap_writeable(struct regmap *map, unsigned int reg)
{
	return exists(map, reg) &&
	       ask(map, reg, map->config.writeable_reg, map->config.wr_table, true);
}

/* Without a cache all of them are. */
bool regmap_volatile(struct regmap *map, unsigned int reg)
{
	if (!map->is_packed && !regmap_readable(map, reg))
		return false;
	return ask(map, reg, map->config.volatile_reg, map->config.volatile_table,
		   map->config.cache_type == REGCACHE_NONE);
}

bool regmap_volatile_range(struct regmap *map, unsigned int reg, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!regmap_volatile(map, regmap_next(map, reg, i)))
			return false;
	return true;
}

bool regmap_readable_noinc(struct regmap *map, unsigned int reg)
{
	return ask(map, reg, map->config.readable_noinc_reg, map->config.rd_noinc_table, true);
}

bool regmap_writeable_noinc(struct regmap *map, unsigned int reg)
{
	return ask(map, reg, map->config.writeable_noinc_reg, map->config.wr_noinc_table, true);
}
