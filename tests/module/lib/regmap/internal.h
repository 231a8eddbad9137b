/* SPDX-License-Identifier: MIT */
/*
 * What the kernel's tests of regmap include as "internal.h", for kernel/regmap/regmap.h's maps.
 */
#include <linux/device.h>
#include <linux/regmap.h>
#include <linux/slab.h>

struct regmap {
	bool cache_bypass, cache_only;	/* as kernel/regmap/regmap.h has them */
};

/* Whose registers are memory. */
struct regmap_ram_data {
	unsigned int *vals;
	bool *read, *written;
	enum regmap_endian reg_endian;
	bool (*noinc_reg)(struct regmap_ram_data *data, unsigned int reg);
};

struct regmap *__regmap_init_ram(struct device *dev, const struct regmap_config *config,
				 struct regmap_ram_data *data, struct lock_class_key *key,
				 const char *name);
struct regmap *__regmap_init_raw_ram(struct device *dev, const struct regmap_config *config,
				     struct regmap_ram_data *data, struct lock_class_key *key,
				     const char *name);
#define regmap_init_ram(dev, config, data) __regmap_init_ram(dev, config, data, NULL, NULL)
#define regmap_init_raw_ram(dev, config, data) __regmap_init_raw_ram(dev, config, data, NULL, NULL)
