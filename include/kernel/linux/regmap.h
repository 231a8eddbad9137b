/* SPDX-License-Identifier: MIT */
/* Registers of devices on buses of modules' own (i2c.h, spi/spi.h): no bus has a map: -ENODEV. */
#ifndef __LINUX_REGMAP_H
#define __LINUX_REGMAP_H

#include <linux/bug.h>
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/rbtree.h>

struct device;
struct regmap;

struct reg_default {
	unsigned int reg, def;
};

struct reg_sequence {
	unsigned int reg, def, delay_us;
};

enum regcache_type { REGCACHE_NONE, REGCACHE_RBTREE, REGCACHE_FLAT, REGCACHE_MAPLE };

struct regmap_config {
	const char *name;
	int reg_bits, reg_stride, pad_bits, val_bits;
	bool (*writeable_reg)(struct device *dev, unsigned int reg);
	bool (*readable_reg)(struct device *dev, unsigned int reg);
	bool (*volatile_reg)(struct device *dev, unsigned int reg);
	unsigned int max_register;
	const struct reg_default *reg_defaults;
	unsigned int num_reg_defaults;
	enum regcache_type cache_type;
	unsigned int read_flag_mask, write_flag_mask;
};

#define devm_regmap_init_i2c(client, config) \
	((void)(client), (void)(config), (struct regmap *)ERR_PTR(-ENODEV))
#define devm_regmap_init_spi(spi, config) devm_regmap_init_i2c(spi, config)
#define devm_regmap_init_mmio(dev, base, config) ((void)(base), devm_regmap_init_i2c(dev, config))
#define regmap_exit(map) ((void)(map))
#define regmap_read(map, reg, value) ((void)(map), (void)(reg), (void)(value), -ENODEV)
#define regmap_write(map, reg, value) ((void)(map), (void)(reg), (void)(value), -ENODEV)
#define regmap_update_bits(map, reg, mask, value) \
	((void)(mask), regmap_write(map, reg, value))
#define regmap_set_bits(map, reg, bits) regmap_write(map, reg, bits)
#define regmap_clear_bits(map, reg, bits) regmap_write(map, reg, bits)
#define regmap_bulk_read(map, reg, values, n) ((void)(n), regmap_read(map, reg, values))
#define regmap_bulk_write(map, reg, values, n) ((void)(n), regmap_read(map, reg, values))

#endif
