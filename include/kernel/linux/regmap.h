/* SPDX-License-Identifier: MIT */
/*
 * Registers by number: over functions of the module's own (reg_read, reg_write, a bus), over memory
 * (mmio), and over messages to a device of i2c.h or spi/spi.h. Values are 8 to 32 bits wide. There
 * is no cache: each access reaches the device.
 */
#ifndef __LINUX_REGMAP_H
#define __LINUX_REGMAP_H

#include <linux/bits.h>
#include <linux/bug.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/iopoll.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/rbtree.h>
#include <usermm/compiler.h>

struct i2c_client;
struct regmap;
struct spi_device;

struct reg_default {
	unsigned int reg, def;
};

struct reg_sequence {
	unsigned int reg, def, delay_us;
};

#define REG_SEQ(reg, def, delay) { reg, def, delay }
#define REG_SEQ0(reg, def) REG_SEQ(reg, def, 0)

enum regcache_type { REGCACHE_NONE, REGCACHE_RBTREE, REGCACHE_FLAT, REGCACHE_MAPLE,
		     REGCACHE_FLAT_S };
enum regmap_endian { REGMAP_ENDIAN_DEFAULT, REGMAP_ENDIAN_BIG, REGMAP_ENDIAN_LITTLE,
		     REGMAP_ENDIAN_NATIVE };

struct regmap_range {
	unsigned int range_min, range_max;
};

struct regmap_access_table {
	const struct regmap_range *yes_ranges;
	unsigned int n_yes_ranges;
	const struct regmap_range *no_ranges;
	unsigned int n_no_ranges;
};

#define regmap_reg_range(low, high) { .range_min = low, .range_max = high }

struct regmap_range_cfg {
	const char *name;
	unsigned int range_min, range_max, selector_reg, selector_mask;
	int selector_shift;
	unsigned int window_start, window_len;
};

/*
 * A register number of reg_bits, and a value of val_bits. On a bus the most significant byte comes
 * first, in memory the least significant one, if no format says otherwise.
 */
struct regmap_config {
	const char *name;
	int reg_bits, reg_stride, reg_shift, pad_bits, val_bits;
	unsigned int reg_base;
	bool (*writeable_reg)(struct device *dev, unsigned int reg);
	bool (*readable_reg)(struct device *dev, unsigned int reg);
	bool (*volatile_reg)(struct device *dev, unsigned int reg);
	bool (*precious_reg)(struct device *dev, unsigned int reg);
	int (*reg_read)(void *context, unsigned int reg, unsigned int *value);
	int (*reg_write)(void *context, unsigned int reg, unsigned int value);
	int (*reg_update_bits)(void *context, unsigned int reg, unsigned int mask,
			       unsigned int value);
	bool disable_locking, fast_io, use_single_read, use_single_write, can_multi_write;
	unsigned int max_register;
	const struct regmap_access_table *wr_table, *rd_table, *volatile_table, *precious_table;
	const struct reg_default *reg_defaults;
	unsigned int num_reg_defaults;
	enum regcache_type cache_type;
	unsigned long read_flag_mask, write_flag_mask;
	enum regmap_endian reg_format_endian, val_format_endian;
	const struct regmap_range_cfg *ranges;
	unsigned int num_ranges;
};

/* How a module reaches its device: by registers, or by bytes. */
struct regmap_bus {
	int (*write)(void *context, const void *data, size_t n);
	int (*read)(void *context, const void *reg, size_t reg_size, void *value, size_t n);
	int (*reg_write)(void *context, unsigned int reg, unsigned int value);
	int (*reg_read)(void *context, unsigned int reg, unsigned int *value);
	void (*free_context)(void *context);
	u8 read_flag_mask;
	bool fast_io;
	enum regmap_endian reg_format_endian_default, val_format_endian_default;
	size_t max_raw_read, max_raw_write;
};

struct reg_field {
	unsigned int reg, lsb, msb, id_size, id_offset;
};

#define REG_FIELD(_reg, _lsb, _msb) { .reg = _reg, .lsb = _lsb, .msb = _msb }

struct regmap_field {
	struct regmap *map;
	unsigned int reg, shift, mask;
};

USERMM_BEGIN_DECLS

/* ERR_PTR: -EINVAL for a configuration without a way to the registers; -ENOMEM. May sleep. */
struct regmap *regmap_init(struct device *dev, const struct regmap_bus *bus, void *context,
			   const struct regmap_config *config) USERMM_API(regmap_init);
struct regmap *regmap_init_i2c(struct i2c_client *client, const struct regmap_config *config)
	USERMM_API(regmap_init_i2c);
struct regmap *regmap_init_spi(struct spi_device *spi, const struct regmap_config *config)
	USERMM_API(regmap_init_spi);
struct regmap *regmap_init_mmio(struct device *dev, void __iomem *base,
				const struct regmap_config *config) USERMM_API(regmap_init_mmio);
void regmap_exit(struct regmap *map) USERMM_API(regmap_exit);
/* A map that goes with the device. map may be an ERR_PTR, which is returned. */
struct regmap *usermm_devm_regmap(struct device *dev, struct regmap *map);
/* The first map of the device, or the one with the name; NULL. */
struct regmap *dev_get_regmap(struct device *dev, const char *name) USERMM_API(dev_get_regmap);
struct device *regmap_get_device(struct regmap *map) USERMM_API(regmap_get_device);
int regmap_get_val_bytes(struct regmap *map) USERMM_API(regmap_get_val_bytes);
int regmap_get_max_register(struct regmap *map) USERMM_API(regmap_get_max_register);

/* 0; -EIO for a register that may not be read or written; the device's error. */
int regmap_read(struct regmap *map, unsigned int reg, unsigned int *value)
	USERMM_API(regmap_read);
int regmap_write(struct regmap *map, unsigned int reg, unsigned int value)
	USERMM_API(regmap_write);
/*
 * *change says whether the value has changed; change may be NULL. With force the value is written
 * even if it is the same.
 */
int regmap_update_bits_base(struct regmap *map, unsigned int reg, unsigned int mask,
			    unsigned int value, bool *change, bool async, bool force)
	USERMM_API(regmap_update_bits_base);
/* n values from reg on, each of as many bytes as the map's values. */
int regmap_bulk_read(struct regmap *map, unsigned int reg, void *values, size_t n)
	USERMM_API(regmap_bulk_read);
int regmap_bulk_write(struct regmap *map, unsigned int reg, const void *values, size_t n)
	USERMM_API(regmap_bulk_write);
int regmap_multi_reg_write(struct regmap *map, const struct reg_sequence *sequence, int n)
	USERMM_API(regmap_multi_reg_write);

USERMM_END_DECLS

#define devm_regmap_init(dev, bus, context, config) \
	usermm_devm_regmap(dev, regmap_init(dev, bus, context, config))
#define devm_regmap_init_i2c(client, config) \
	usermm_devm_regmap(&(client)->dev, regmap_init_i2c(client, config))
#define devm_regmap_init_spi(spi, config) \
	usermm_devm_regmap(&(spi)->dev, regmap_init_spi(spi, config))
#define devm_regmap_init_mmio(dev, base, config) \
	usermm_devm_regmap(dev, regmap_init_mmio(dev, base, config))

#define regmap_update_bits(map, reg, mask, value) \
	regmap_update_bits_base(map, reg, mask, value, NULL, false, false)
#define regmap_update_bits_check(map, reg, mask, value, change) \
	regmap_update_bits_base(map, reg, mask, value, change, false, false)
#define regmap_write_bits(map, reg, mask, value) \
	regmap_update_bits_base(map, reg, mask, value, NULL, false, true)
#define regmap_set_bits(map, reg, bits) regmap_update_bits(map, reg, bits, bits)
#define regmap_clear_bits(map, reg, bits) regmap_update_bits(map, reg, bits, 0)
#define regmap_assign_bits(map, reg, bits, value) \
	regmap_update_bits(map, reg, bits, (value) ? (bits) : 0)
#define regmap_raw_read(map, reg, values, bytes) \
	regmap_bulk_read(map, reg, values, (bytes) / (size_t)regmap_get_val_bytes(map))
#define regmap_raw_write(map, reg, values, bytes) \
	regmap_bulk_write(map, reg, values, (bytes) / (size_t)regmap_get_val_bytes(map))
#define regmap_noinc_read(map, reg, values, bytes) regmap_raw_read(map, reg, values, bytes)
#define regmap_read_bypassed(map, reg, value) regmap_read(map, reg, value)

/* 1 if all of the bits are set, else 0; or a negative error. */
static inline int regmap_test_bits(struct regmap *map, unsigned int reg, unsigned int bits)
{
	unsigned int value;
	int error = regmap_read(map, reg, &value);

	return error ? error : (value & bits) == bits;
}

#define regmap_read_poll_timeout(map, reg, value, condition, sleep_us, timeout_us) \
	({									\
		int poll_error_, poll_end_ = read_poll_timeout(regmap_read, poll_error_, \
			poll_error_ || (condition), sleep_us, timeout_us, false, map, reg, \
			&(value));						\
										\
		poll_error_ ? poll_error_ : poll_end_;				\
	})

/* There is no cache. */
#define regcache_sync(map) ((void)(map), 0)
#define regcache_sync_region(map, from, to) ((void)(map), (void)(from), (void)(to), 0)
#define regcache_cache_only(map, only) ((void)(map), (void)(only))
#define regcache_cache_bypass(map, bypass) ((void)(map), (void)(bypass))
#define regcache_mark_dirty(map) ((void)(map))
#define regcache_drop_region(map, from, to) ((void)(map), (void)(from), (void)(to), 0)
#define regmap_async_complete(map) ((void)(map), 0)
#define regmap_register_patch(map, sequence, n) regmap_multi_reg_write(map, sequence, n)

#define regmap_field_write(field, value) regmap_field_update_bits(field, ~0U, value)
#define regmap_field_update_bits(field, bits, value)				\
	regmap_update_bits((field)->map, (field)->reg,				\
			   ((bits) << (field)->shift) & (field)->mask,		\
			   (unsigned int)(value) << (field)->shift)

static inline int regmap_field_read(struct regmap_field *field, unsigned int *value)
{
	int error = regmap_read(field->map, field->reg, value);

	if (!error)
		*value = (*value & field->mask) >> field->shift;
	return error;
}

/* ERR_PTR(-ENOMEM) without memory. */
static inline struct regmap_field *devm_regmap_field_alloc(struct device *dev, struct regmap *map,
							   struct reg_field from)
{
	struct regmap_field *field = (struct regmap_field *)
		devm_kzalloc(dev, sizeof(*field), GFP_KERNEL);

	if (!field)
		return (struct regmap_field *)ERR_PTR(-ENOMEM);
	*field = (struct regmap_field){ map, from.reg, from.lsb, GENMASK(from.msb, from.lsb) };
	return field;
}

#endif
