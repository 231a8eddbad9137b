// SPDX-License-Identifier: MIT
/* Makes maps as a config asks for them, finds them, and frees them. */
#include <linux/slab.h>
#include "regmap.h"

static DEFINE_MUTEX(maps_lock);
static LIST_HEAD(maps);			/* the newest first. Sync: maps_lock */

static void lock_mutex(void *map)
{
	mutex_lock(&((struct regmap *)map)->mutex);
}

static void unlock_mutex(void *map)
{
	mutex_unlock(&((struct regmap *)map)->mutex);
}

static void lock_spinlock(void *arg)
{
	struct regmap *map = arg;
	unsigned long flags;

	raw_spin_lock_irqsave(&map->spinlock, flags);
	map->spinlock_flags = flags;
}

static void unlock_spinlock(void *arg)
{
	struct regmap *map = arg;

	raw_spin_unlock_irqrestore(&map->spinlock, map->spinlock_flags);
}

static void lock_nothing(void *map)
{
	(void)map;
}

static bool is_fast(const struct regmap *map)
{
	return map->config.fast_io || (map->bus && map->bus->fast_io);
}

static void choose_lock(struct regmap *map)
{
	const struct regmap_config *config = &map->config;

	mutex_init(&map->mutex);
	raw_spin_lock_init(&map->spinlock);
	map->lock_arg = map;
	map->can_sleep = config->can_sleep;
	if (config->disable_locking) {
		map->lock = lock_nothing;
		map->unlock = lock_nothing;
	} else if (config->lock && config->unlock) {
		map->lock = config->lock;
		map->unlock = config->unlock;
		map->lock_arg = config->lock_arg;
	} else if (is_fast(map)) {
		map->lock = lock_spinlock;
		map->unlock = unlock_spinlock;
		map->can_sleep = false;
	} else {
		map->lock = lock_mutex;
		map->unlock = unlock_mutex;
		map->can_sleep = true;
	}
	map->gfp = is_fast(map) ? GFP_ATOMIC : GFP_KERNEL;
}

/* Messages by the config's functions come first, then the config's or the bus's registers. */
static int choose_way(struct regmap *map)
{
	const struct regmap_config *config = &map->config;
	const struct regmap_bus *bus = map->bus;
	const bool is_own = config->read && config->write;

	map->update_bits = bus && !is_own ? bus->reg_update_bits : config->reg_update_bits;
	if (is_own) {
		map->way = BY_BYTES;
		map->read = config->read;
		map->write = config->write;
	} else if (!bus) {
		map->way = BY_FUNCTIONS;
		return config->reg_read || config->reg_write ? 0 : -EINVAL;
	} else if (bus->read && bus->write) {
		map->way = BY_BYTES;
		map->read = bus->read;
		map->write = bus->write;
	} else {
		map->way = BY_REGISTERS;
		return bus->reg_read || bus->reg_write ? 0 : -EINVAL;
	}
	/* A config that reads and writes by itself has the processor's order of bytes. */
	map->numbers_little_endian = is_own ? CPU_IS_LITTLE_ENDIAN :
		regmap_is_little_endian(config->reg_format_endian, bus->reg_format_endian_default);
	map->values_little_endian = is_own ? CPU_IS_LITTLE_ENDIAN :
		regmap_is_little_endian(config->val_format_endian, bus->val_format_endian_default);
	return regmap_choose_format(map);
}

static void choose_sizes(struct regmap *map)
{
	const struct regmap_config *config = &map->config;
	const struct regmap_bus *bus = map->bus;
	const bool reads = config->read || (bus && bus->read);
	const bool writes = config->write || (bus && bus->write);

	map->stride = config->reg_stride ? (unsigned int)config->reg_stride : 1;
	map->reg_bytes = DIV_ROUND_UP((unsigned int)config->reg_bits, 8);
	map->pad_bytes = (unsigned int)config->pad_bits / 8;
	map->pad_shift = (unsigned int)config->pad_bits % 8;
	map->val_bytes = DIV_ROUND_UP((unsigned int)config->val_bits, 8);
	map->single_read = config->use_single_read || config->use_single_rw || !reads;
	map->single_write = config->use_single_write || config->use_single_rw || !writes;
	map->multi_write = config->can_multi_write && writes;
	map->max_raw_read = bus ? bus->max_raw_read : config->max_raw_read;
	map->max_raw_write = bus ? bus->max_raw_write : config->max_raw_write;
	if (config->read_flag_mask || config->write_flag_mask || config->zero_flag_mask) {
		map->read_flag_mask = config->read_flag_mask;
		map->write_flag_mask = config->write_flag_mask;
	} else if (bus) {
		map->read_flag_mask = bus->read_flag_mask;
	}
}

/* A map that moves no bytes needs no sizes. */
static bool has_possible_sizes(const struct regmap_config *config)
{
	return config->val_bits >= 0 && config->val_bits <= 32 && config->reg_bits >= 0 &&
	       config->reg_bits <= 32 && config->pad_bits >= 0 && config->reg_stride >= 0;
}

static int copy_name(struct regmap *map, const struct regmap_config *config)
{
	char *name;

	if (!config->name)
		return 0;
	name = kstrdup(config->name, GFP_KERNEL);
	if (!name)
		return -ENOMEM;
	kfree(map->name);
	map->name = name;
	return 0;
}

/* The cache starts anew; the config's defaults need not stay. */
static int start_cache(struct regmap *map)
{
	int error;

	map->max_register_is_set = map->config.max_register || map->config.max_register_is_0;
	error = regcache_init(map);
	map->config.reg_defaults = NULL;
	map->config.reg_defaults_raw = NULL;
	return error;
}

static int set_up(struct regmap *map, const struct regmap_config *config)
{
	int error = copy_name(map, config);

	map->config = *config;
	map->config.ranges = kmemdup(config->ranges, config->num_ranges * sizeof(*config->ranges),
				     GFP_KERNEL);
	if (error || (config->num_ranges && !map->config.ranges))
		return -ENOMEM;
	choose_lock(map);
	choose_sizes(map);
	error = choose_way(map) ?: regmap_check_ranges(map);
	return error ?: start_cache(map);
}

static void free_map(struct regmap *map)
{
	kfree(map->config.ranges);
	kfree(map->patch);
	kfree(map->name);
	kfree(map);
}

int regmap_attach_dev(struct device *dev, struct regmap *map, const struct regmap_config *config)
{
	int error = copy_name(map, config);

	if (error)
		return error;
	mutex_lock(&maps_lock);
	map->dev = dev;
	list_move(&map->all, &maps);
	mutex_unlock(&maps_lock);
	return 0;
}

struct regmap *regmap_init(struct device *dev, const struct regmap_bus *bus, void *context,
			   const struct regmap_config *config)
{
	struct regmap *map;
	int error;

	if (!config || !has_possible_sizes(config))
		return ERR_PTR(-EINVAL);
	map = kzalloc(sizeof(*map), GFP_KERNEL);
	if (!map)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&map->all);
	map->dev = dev;
	map->bus = bus;
	map->context = context;
	error = set_up(map, config);
	if (error) {
		free_map(map);
		return ERR_PTR(error);
	}
	mutex_lock(&maps_lock);
	list_add(&map->all, &maps);
	mutex_unlock(&maps_lock);
	return map;
}

int regmap_reinit_cache(struct regmap *map, const struct regmap_config *config)
{
	struct regmap_config *own = &map->config;
	int error = copy_name(map, config);

	if (error)
		return error;
	regcache_exit(map);
	own->max_register = config->max_register;
	own->max_register_is_0 = config->max_register_is_0;
	own->writeable_reg = config->writeable_reg;
	own->readable_reg = config->readable_reg;
	own->volatile_reg = config->volatile_reg;
	own->precious_reg = config->precious_reg;
	own->writeable_noinc_reg = config->writeable_noinc_reg;
	own->readable_noinc_reg = config->readable_noinc_reg;
	own->cache_type = config->cache_type;
	own->reg_default_cb = config->reg_default_cb;
	own->reg_defaults = config->reg_defaults;
	own->num_reg_defaults = config->num_reg_defaults;
	own->reg_defaults_raw = config->reg_defaults_raw;
	own->num_reg_defaults_raw = config->num_reg_defaults_raw;
	map->cache_bypass = false;
	map->cache_only = false;
	return start_cache(map);
}

void regmap_exit(struct regmap *map)
{
	mutex_lock(&maps_lock);
	list_del(&map->all);
	mutex_unlock(&maps_lock);
	regcache_exit(map);
	if (map->bus && map->bus->free_context)
		map->bus->free_context(map->context);
	free_map(map);
}

static void exit_managed(void *map)
{
	regmap_exit(map);
}

struct regmap *usermm_devm_regmap(struct device *dev, struct regmap *map)
{
	int error;

	if (IS_ERR(map))
		return map;
	error = devm_add_action_or_reset(dev, exit_managed, map);
	return error ? ERR_PTR(error) : map;
}

struct regmap *dev_get_regmap(struct device *dev, const char *name)
{
	struct regmap *map, *found = NULL;

	mutex_lock(&maps_lock);
	list_for_each_entry(map, &maps, all)
		if (!found && dev && map->dev == dev &&
		    (!name || (map->name && !strcmp(name, map->name))))
			found = map;
	mutex_unlock(&maps_lock);
	return found;
}

struct device *regmap_get_device(struct regmap *map)
{
	return map->dev;
}

int regmap_get_max_register(struct regmap *map)
{
	return map->max_register_is_set ? (int)map->config.max_register : -EINVAL;
}

int regmap_get_reg_stride(struct regmap *map)
{
	return (int)map->stride;
}

bool regmap_might_sleep(struct regmap *map)
{
	return map->can_sleep;
}
