// SPDX-License-Identifier: MIT
/*
 * What the device's registers hold, as far as it is known: all but volatile ones. REGCACHE_FLAT
 * knows each register, which is 0 at first; the others know those that were read or written. They
 * differ in Linux by how they are stored; here all are an xarray.
 */
#include <linux/bsearch.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include "regmap.h"

static bool knows_all(const struct regmap *map)
{
	return map->config.cache_type == REGCACHE_FLAT;
}

static bool is_flat(const struct regmap *map)
{
	return knows_all(map) || map->config.cache_type == REGCACHE_FLAT_S;
}

int regcache_read(struct regmap *map, unsigned int reg, unsigned int *value)
{
	void *entry;

	if (map->config.cache_type == REGCACHE_NONE || regmap_volatile(map, reg))
		return -EINVAL;
	entry = xa_load(&map->cache, reg);
	if (!entry && (!knows_all(map) || reg > map->config.max_register))
		return -ENOENT;
	*value = entry ? (unsigned int)xa_to_value(entry) : 0;
	return 0;
}

static int store(struct regmap *map, unsigned int reg, unsigned int value)
{
	return xa_err(xa_store(&map->cache, reg, xa_mk_value(value), map->gfp));
}

int regcache_write(struct regmap *map, unsigned int reg, unsigned int value)
{
	if (map->config.cache_type == REGCACHE_NONE || regmap_volatile(map, reg))
		return 0;
	return store(map, reg, value);
}

void regcache_forget(struct regmap *map, unsigned int min, unsigned int max)
{
	unsigned long reg;
	void *entry;

	if (map->config.cache_type == REGCACHE_NONE || knows_all(map))
		return;
	xa_for_each_range(&map->cache, reg, entry, min, max)
		xa_erase(&map->cache, reg);
}

bool regcache_reg_cached(struct regmap *map, unsigned int reg)
{
	unsigned int value;
	bool is_cached;

	map->lock(map->lock_arg);
	is_cached = !regcache_read(map, reg, &value);
	map->unlock(map->lock_arg);
	return is_cached;
}

int regcache_drop_region(struct regmap *map, unsigned int min, unsigned int max)
{
	if (map->config.cache_type == REGCACHE_NONE || knows_all(map))
		return -EINVAL;
	map->lock(map->lock_arg);
	regcache_forget(map, min, max);
	map->unlock(map->lock_arg);
	return 0;
}

void regcache_cache_only(struct regmap *map, bool only)
{
	map->lock(map->lock_arg);
	WARN_ON(map->config.cache_type != REGCACHE_NONE && map->cache_bypass && only);
	map->cache_only = only;
	map->unlock(map->lock_arg);
}

void regcache_cache_bypass(struct regmap *map, bool bypass)
{
	map->lock(map->lock_arg);
	WARN_ON(map->cache_only && bypass);
	map->cache_bypass = bypass;
	map->unlock(map->lock_arg);
}

void regcache_mark_dirty(struct regmap *map)
{
	map->lock(map->lock_arg);
	map->cache_dirty = true;
	map->no_sync_defaults = true;
	map->unlock(map->lock_arg);
}

static int compare_numbers(const void *a, const void *b)
{
	const struct reg_default *one = a, *other = b;

	return one->reg < other->reg ? -1 : one->reg > other->reg;
}

void regcache_sort_defaults(struct reg_default *defaults, unsigned int n)
{
	sort(defaults, n, sizeof(*defaults), compare_numbers, NULL);
}

/* A device that was reset has its defaults. */
static bool needs_sync(struct regmap *map, unsigned int reg, unsigned int value)
{
	const struct reg_default wanted = { .reg = reg }, *found;

	if (!regmap_writeable(map, reg))
		return false;
	if (!map->no_sync_defaults || !map->nr_defaults)
		return true;
	found = bsearch(&wanted, map->defaults, map->nr_defaults, sizeof(wanted), compare_numbers);
	return !found || found->def != value;
}

static int write_bypassing(struct regmap *map, unsigned int reg, unsigned int value)
{
	int error;

	map->cache_bypass = true;
	error = regmap_write_locked(map, reg, value);
	map->cache_bypass = false;
	if (error)
		dev_err(map->dev, "regmap: register %#x cannot be synced: %d\n", reg, error);
	return error;
}

static int sync_each(struct regmap *map, unsigned int min, unsigned int max)
{
	unsigned int value;
	int error = 0;

	for (unsigned long reg = min; reg <= max && !error; reg += map->stride)
		if (!regcache_read(map, (unsigned int)reg, &value) &&
		    needs_sync(map, (unsigned int)reg, value))
			error = write_bypassing(map, (unsigned int)reg, value);
	return error;
}

/* Values of registers that follow each other, as they are in a message. */
struct run {
	unsigned int first;
	size_t n;			/* number of values */
	u8 values[64];
};

static int write_run(struct regmap *map, struct run *run)
{
	int error;

	if (!run->n)
		return 0;
	map->cache_bypass = true;
	error = regmap_raw_write_locked(map, run->first, run->values, run->n * map->val_bytes,
					false);
	map->cache_bypass = false;
	if (error)
		dev_err(map->dev, "regmap: registers from %#x on cannot be synced: %d\n",
			run->first, error);
	run->n = 0;
	return error;
}

static int sync_known(struct regmap *map, unsigned int min, unsigned int max)
{
	const bool in_runs = regmap_has_raw_values(map) && !map->single_write;
	struct run run = { .n = 0 };
	unsigned long reg;
	void *entry;
	int error = 0;

	xa_for_each_range(&map->cache, reg, entry, min, max) {
		unsigned int value = (unsigned int)xa_to_value(entry);

		if (!needs_sync(map, (unsigned int)reg, value))
			continue;
		if (!in_runs) {
			error = write_bypassing(map, (unsigned int)reg, value);
		} else {
			if ((run.n + 1) * map->val_bytes > sizeof(run.values) ||
			    reg != regmap_next(map, run.first, run.n))
				error = write_run(map, &run);
			if (!run.n)
				run.first = (unsigned int)reg;
			regmap_put_value(map, run.values + run.n++ * map->val_bytes, value);
		}
		if (error)
			return error;
	}
	return write_run(map, &run);
}

static int sync_region(struct regmap *map, unsigned int min, unsigned int max)
{
	return is_flat(map) ? sync_each(map, min, max) : sync_known(map, min, max);
}

/* Pages may have been selected past the cache: then a cached selector is not the device's. */
static int sync_selectors(struct regmap *map)
{
	unsigned int value;
	int error = 0;

	for (unsigned int i = 0; i < map->config.num_ranges && !error; i++) {
		unsigned int selector = map->config.ranges[i].selector_reg;

		if (!regcache_read(map, selector, &value))
			error = regmap_write_locked(map, selector, value);
	}
	return error;
}

static int write_patch(struct regmap *map)
{
	int error = 0;

	map->cache_bypass = true;
	for (int i = 0; i < map->nr_patch && !error; i++)
		error = regmap_write_locked(map, map->patch[i].reg, map->patch[i].def);
	map->cache_bypass = false;
	return error;
}

int regcache_sync(struct regmap *map)
{
	int error = 0, selecting;
	bool bypass;

	if (WARN_ON(map->config.cache_type == REGCACHE_NONE))
		return -EINVAL;
	map->lock(map->lock_arg);
	bypass = map->cache_bypass;
	if (map->cache_dirty) {
		error = write_patch(map) ?: sync_region(map, 0, map->config.max_register);
		map->cache_dirty = error;
	}
	map->cache_bypass = bypass;
	map->no_sync_defaults = false;
	selecting = sync_selectors(map);
	map->cache_dirty |= selecting != 0;
	map->unlock(map->lock_arg);
	return error ?: selecting;
}

int regcache_sync_region(struct regmap *map, unsigned int min, unsigned int max)
{
	int error = 0;
	bool bypass;

	if (WARN_ON(map->config.cache_type == REGCACHE_NONE))
		return -EINVAL;
	map->lock(map->lock_arg);
	bypass = map->cache_bypass;
	if (map->cache_dirty)
		error = sync_region(map, min, max);
	map->cache_bypass = bypass;
	map->no_sync_defaults = false;
	map->unlock(map->lock_arg);
	return error;
}

/* The patch stays, and is written now. */
int regmap_register_patch(struct regmap *map, const struct reg_sequence *sequence, int n)
{
	struct reg_sequence *patch;

	if (WARN_ON(n <= 0))
		return 0;
	patch = krealloc_array(map->patch, (size_t)(map->nr_patch + n), sizeof(*patch), GFP_KERNEL);
	if (!patch)
		return -ENOMEM;
	memcpy(patch + map->nr_patch, sequence, (size_t)n * sizeof(*patch));
	map->patch = patch;
	map->nr_patch += n;
	return regmap_multi_reg_write_bypassed(map, sequence, n);
}

/* From the config's raw defaults, which are in the device's format, or from the device. */
static int read_default(struct regmap *map, unsigned int i, unsigned int *value)
{
	const u8 *raw = map->config.reg_defaults_raw;
	int error;

	if (raw && regmap_has_raw_values(map))
		*value = regmap_get_value(map, raw + i * map->val_bytes);
	else if (raw)
		return regmap_get_native(map, raw + i * map->val_bytes, value);
	if (raw)
		return 0;
	map->cache_bypass = true;
	error = regmap_read(map, i * map->stride, value);
	map->cache_bypass = false;
	return error;
}

static int add_default(struct regmap *map, unsigned int reg, unsigned int value)
{
	map->defaults[map->nr_defaults++] = (struct reg_default){ reg, value };
	return store(map, reg, value);
}

/* Defaults that are given by number, or of the first num_reg_defaults_raw registers. */
static int learn_defaults(struct regmap *map)
{
	const struct reg_default *given = map->config.reg_defaults;
	const unsigned int n = given ? map->config.num_reg_defaults :
				       map->config.num_reg_defaults_raw;
	unsigned int value;
	int error = 0;

	map->defaults = n ? kmalloc_array(n, sizeof(*map->defaults), GFP_KERNEL) : NULL;
	if (n && !map->defaults)
		return -ENOMEM;
	for (unsigned int i = 0; i < n && !error; i++) {
		unsigned int reg = i * map->stride;

		if (given) {
			error = add_default(map, given[i].reg, given[i].def);
		} else if (regmap_readable(map, reg) && !regmap_volatile(map, reg)) {
			error = read_default(map, i, &value);
			error = error ?: add_default(map, reg, value);
		}
	}
	regcache_sort_defaults(map->defaults, map->nr_defaults);
	/* If nothing can be cached, nothing is. */
	if (!error && !given && n && !map->nr_defaults)
		map->cache_bypass = true;
	return error;
}

/* A config's function may know more of a flat cache's. They are in the cache alone. */
static int ask_for_defaults(struct regmap *map)
{
	unsigned int value;
	int error = 0;

	if (!is_flat(map) || !map->config.reg_default_cb)
		return 0;
	for (unsigned long reg = 0; reg <= map->config.max_register && !error; reg += map->stride)
		if (!xa_load(&map->cache, reg) &&
		    !map->config.reg_default_cb(map->dev, (unsigned int)reg, &value))
			error = store(map, (unsigned int)reg, value);
	return error;
}

int regcache_init(struct regmap *map)
{
	const struct regmap_config *config = &map->config;
	int error;

	if (config->cache_type == REGCACHE_NONE) {
		if (config->reg_defaults || config->num_reg_defaults_raw)
			dev_warn(map->dev, "regmap: defaults are of no use without a cache\n");
		map->cache_bypass = true;
		return 0;
	}
	if (config->cache_type > REGCACHE_FLAT_S ||
	    !config->reg_defaults != !config->num_reg_defaults)
		return -EINVAL;
	for (unsigned int i = 0; i < config->num_reg_defaults; i++)
		if (config->reg_defaults[i].reg % map->stride)
			return -EINVAL;
	if (!map->max_register_is_set && config->num_reg_defaults_raw) {
		map->config.max_register = (config->num_reg_defaults_raw - 1) * map->stride;
		map->max_register_is_set = true;
	}
	if (is_flat(map) && (!map->max_register_is_set || !is_power_of_2(map->stride)))
		return -EINVAL;
	xa_init(&map->cache);
	error = learn_defaults(map) ?: ask_for_defaults(map);
	if (error)
		regcache_exit(map);
	return error;
}

void regcache_exit(struct regmap *map)
{
	if (map->config.cache_type == REGCACHE_NONE)
		return;
	xa_destroy(&map->cache);
	kfree(map->defaults);
	map->defaults = NULL;
	map->nr_defaults = 0;
}
