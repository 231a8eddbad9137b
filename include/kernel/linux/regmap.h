/* SPDX-License-Identifier: MIT */
/*
 * Registers by number: over functions of the module's own (reg_read, reg_write, a bus), over memory
 * (mmio), and over messages to a device of i2c.h or spi/spi.h. Values are 8 to 32 bits wide. A
 * cache, if the config asks for one, answers for registers that are not volatile.
 *
 * A map is locked by a mutex; by a spinlock if the config or the bus says fast_io. Functions may be
 * called where that lock may be taken. Nothing is asynchronous: what is to be written in the
 * background is written at once.
 */
#ifndef __LINUX_REGMAP_H
#define __LINUX_REGMAP_H

#include <linux/bits.h>
#include <linux/bug.h>
#include <linux/cleanup.h>
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/iopoll.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/version.h>
#include <usermm/compiler.h>

struct clk;
struct i2c_client;
struct lock_class_key;
struct regmap;
struct regmap_field;
struct spi_device;

struct reg_default {
	unsigned int reg, def;
};

struct reg_sequence {
	unsigned int reg, def, delay_us;
};

/* For reg_shift. */
#define REGMAP_UPSHIFT(n) (-(n))
#define REGMAP_DOWNSHIFT(n) (n)
#define REG_SEQ(reg, def, delay) { reg, def, delay }
#define REG_SEQ0(reg, def) REG_SEQ(reg, def, 0)

enum regcache_type { REGCACHE_NONE, REGCACHE_RBTREE, REGCACHE_FLAT, REGCACHE_MAPLE,
		     REGCACHE_FLAT_S };
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 19, 0)
#define REGCACHE_COMPRESSED REGCACHE_RBTREE
#endif
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

static inline bool regmap_reg_in_range(unsigned int reg, const struct regmap_range *range)
{
	return reg >= range->range_min && reg <= range->range_max;
}

/*
 * Registers range_min to range_max are window_len registers from window_start on, page by page. The
 * page's number is written to some bits of selector_reg.
 */
struct regmap_range_cfg {
	const char *name;
	unsigned int range_min, range_max, selector_reg, selector_mask;
	int selector_shift;
	unsigned int window_start, window_len;
};

typedef void (*regmap_lock)(void *);
typedef void (*regmap_unlock)(void *);

/*
 * A register number of reg_bits, padding of pad_bits, and a value of val_bits. Numbers and values
 * have 8, 16, 24 or 32 bits; or both together are one of 2 and 6, 4 and 12, 7 and 9, 7 and 17,
 * 10 and 14, 12 and 20 bits: such a device cannot be read, but what was written can be cached. On a
 * bus the most significant byte comes first, in memory the least significant one, if no format says
 * otherwise. Where registers are moved one by one, by functions, these sizes may be 0: then there
 * are no calls for many values.
 *
 * Arrays of defaults and ranges are copied; tables have to stay as long as the map.
 */
struct regmap_config {
	const char *name;
	int reg_bits, reg_stride;
	union {
		int reg_shift;		/* numbers are shifted down by so much; up if < 0 */
		int reg_downshift;	/* until Linux 6.3 */
	};
	unsigned int reg_base;		/* is added to numbers, before the shift */
	int pad_bits, val_bits;
	bool (*writeable_reg)(struct device *dev, unsigned int reg);
	bool (*readable_reg)(struct device *dev, unsigned int reg);
	bool (*volatile_reg)(struct device *dev, unsigned int reg);
	bool (*precious_reg)(struct device *dev, unsigned int reg);
	bool (*writeable_noinc_reg)(struct device *dev, unsigned int reg);
	bool (*readable_noinc_reg)(struct device *dev, unsigned int reg);
	int (*reg_read)(void *context, unsigned int reg, unsigned int *value);
	int (*reg_write)(void *context, unsigned int reg, unsigned int value);
	int (*reg_update_bits)(void *context, unsigned int reg, unsigned int mask,
			       unsigned int value);
	/* Messages, in the processor's order of bytes. */
	int (*read)(void *context, const void *reg, size_t reg_size, void *value, size_t n);
	int (*write)(void *context, const void *data, size_t n);
	size_t max_raw_read, max_raw_write;
	bool can_sleep, fast_io, io_port, disable_locking;
	regmap_lock lock;
	regmap_unlock unlock;
	void *lock_arg;
	unsigned int max_register;
	bool max_register_is_0;
	const struct regmap_access_table *wr_table, *rd_table, *volatile_table, *precious_table,
					 *wr_noinc_table, *rd_noinc_table;
	const struct reg_default *reg_defaults;
	unsigned int num_reg_defaults;
	enum regcache_type cache_type;
	/* For flat caches: 0 if it knows a default of a register that is not in reg_defaults. */
	int (*reg_default_cb)(struct device *dev, unsigned int reg, unsigned int *value);
	const void *reg_defaults_raw;
	unsigned int num_reg_defaults_raw;
	/* Are set in a number's first bytes. If one or zero_flag_mask is set, the bus's are not. */
	unsigned long read_flag_mask, write_flag_mask;
	bool zero_flag_mask;
	bool use_single_read, use_single_write, use_relaxed_mmio, can_multi_write;
	bool use_single_rw;		/* until Linux 4.19: both of them */
	bool use_hwlock, use_raw_spinlock;	/* not looked at */
	unsigned int hwlock_id, hwlock_mode;	/* not looked at */
	enum regmap_endian reg_format_endian, val_format_endian;
	const struct regmap_range_cfg *ranges;
	unsigned int num_ranges;
};

typedef int (*regmap_hw_write)(void *context, const void *data, size_t n);
typedef int (*regmap_hw_gather_write)(void *context, const void *reg, size_t reg_size,
				      const void *values, size_t n);
typedef int (*regmap_hw_reg_write)(void *context, unsigned int reg, unsigned int value);
typedef int (*regmap_hw_reg_noinc_write)(void *context, unsigned int reg, const void *values,
					 size_t n);
typedef int (*regmap_hw_reg_update_bits)(void *context, unsigned int reg, unsigned int mask,
					 unsigned int value);
typedef int (*regmap_hw_read)(void *context, const void *reg, size_t reg_size, void *value,
			      size_t n);
typedef int (*regmap_hw_reg_read)(void *context, unsigned int reg, unsigned int *value);
typedef int (*regmap_hw_reg_noinc_read)(void *context, unsigned int reg, void *values, size_t n);
typedef void (*regmap_hw_free_context)(void *context);

/*
 * How a module reaches its device: by bytes, if there are read() and write(), or by registers, if
 * there is reg_read() or reg_write().
 */
struct regmap_bus {
	bool fast_io;
	regmap_hw_write write;
	regmap_hw_gather_write gather_write;	/* -ENOTSUPP: then write() */
	regmap_hw_reg_write reg_write;
	regmap_hw_reg_noinc_write reg_noinc_write;
	regmap_hw_reg_update_bits reg_update_bits;
	regmap_hw_read read;
	regmap_hw_reg_read reg_read;
	regmap_hw_reg_noinc_read reg_noinc_read;
	regmap_hw_free_context free_context;
	u8 read_flag_mask;
	enum regmap_endian reg_format_endian_default, val_format_endian_default;
	size_t max_raw_read, max_raw_write;
};

struct reg_field {
	unsigned int reg, lsb, msb, id_size, id_offset;
};

#define REG_FIELD(_reg, _lsb, _msb) { .reg = _reg, .lsb = _lsb, .msb = _msb }

#define REG_FIELD_ID(_reg, _lsb, _msb, _size, _offset) \
	{ .reg = _reg, .lsb = _lsb, .msb = _msb, .id_size = _size, .id_offset = _offset }

USERMM_BEGIN_DECLS

/*
 * ERR_PTR: -EINVAL for a format that does not exist, without a way to the registers, for wrong
 * ranges or defaults; -ENOMEM; the device's error, if defaults are read from it. May sleep.
 */
struct regmap *regmap_init(struct device *dev, const struct regmap_bus *bus, void *context,
			   const struct regmap_config *config) USERMM_API(regmap_init);
/* -ENOTSUPP if the adapter has neither messages nor an SMBus call for such registers. */
struct regmap *regmap_init_i2c(struct i2c_client *client, const struct regmap_config *config)
	USERMM_API(regmap_init_i2c);
/* By SMBus's bytes, as cameras want it. -ENOTSUPP if the adapter or the config has others. */
struct regmap *regmap_init_sccb(struct i2c_client *client, const struct regmap_config *config)
	USERMM_API(regmap_init_sccb);
struct regmap *regmap_init_spi(struct spi_device *spi, const struct regmap_config *config)
	USERMM_API(regmap_init_spi);
/* The clock named clk_id runs during accesses; NULL: there is none. */
struct regmap *regmap_init_mmio_clk(struct device *dev, const char *clk_id, void __iomem *base,
				    const struct regmap_config *config)
	USERMM_API(regmap_init_mmio_clk);
/* For maps of regmap_init_mmio(): the caller's clock, as clk_id. 0, or clk_prepare()'s error. */
int regmap_mmio_attach_clk(struct regmap *map, struct clk *clk)
	USERMM_API(regmap_mmio_attach_clk);
void regmap_mmio_detach_clk(struct regmap *map) USERMM_API(regmap_mmio_detach_clk);
void regmap_exit(struct regmap *map) USERMM_API(regmap_exit);
/* A map that goes with the device. map may be an ERR_PTR, which is returned. */
struct regmap *usermm_devm_regmap(struct device *dev, struct regmap *map);
/* The device's newest map, or its newest one with the name; NULL. */
struct regmap *dev_get_regmap(struct device *dev, const char *name) USERMM_API(dev_get_regmap);
/* The map becomes the device's, and gets the config's name. 0 or -ENOMEM. */
int regmap_attach_dev(struct device *dev, struct regmap *map, const struct regmap_config *config)
	USERMM_API(regmap_attach_dev);
struct device *regmap_get_device(struct regmap *map) USERMM_API(regmap_get_device);
/* -EINVAL if number and value share a byte. */
int regmap_get_val_bytes(struct regmap *map) USERMM_API(regmap_get_val_bytes);
/* -EINVAL if the config has none. */
int regmap_get_max_register(struct regmap *map) USERMM_API(regmap_get_max_register);
int regmap_get_reg_stride(struct regmap *map) USERMM_API(regmap_get_reg_stride);
bool regmap_might_sleep(struct regmap *map) USERMM_API(regmap_might_sleep);
bool regmap_can_raw_write(struct regmap *map) USERMM_API(regmap_can_raw_write);
/* Most bytes of a message; 0: any number. */
size_t regmap_get_raw_read_max(struct regmap *map) USERMM_API(regmap_get_raw_read_max);
size_t regmap_get_raw_write_max(struct regmap *map) USERMM_API(regmap_get_raw_write_max);
/* A value from the bytes of a message. -EINVAL if the map has none. */
int regmap_parse_val(struct regmap *map, const void *bytes, unsigned int *value)
	USERMM_API(regmap_parse_val);
bool regmap_reg_in_ranges(unsigned int reg, const struct regmap_range *ranges, unsigned int n)
	USERMM_API(regmap_reg_in_ranges);
bool regmap_check_range_table(struct regmap *map, unsigned int reg,
			      const struct regmap_access_table *table)
	USERMM_API(regmap_check_range_table);

/*
 * 0; -EIO for a register that may not be read or written; -EINVAL for a number between two
 * registers (reg_stride); -EBUSY if only the cache may be used, and has not got it; the device's
 * error.
 */
int regmap_read(struct regmap *map, unsigned int reg, unsigned int *value)
	USERMM_API(regmap_read);
int regmap_write(struct regmap *map, unsigned int reg, unsigned int value)
	USERMM_API(regmap_write);
/* From the device, though the cache may have it. */
int regmap_read_bypassed(struct regmap *map, unsigned int reg, unsigned int *value)
	USERMM_API(regmap_read_bypassed);
/*
 * *change says whether something was written; change may be NULL. With force the value is written
 * even if it is the same.
 */
int regmap_update_bits_base(struct regmap *map, unsigned int reg, unsigned int mask,
			    unsigned int value, bool *change, bool async, bool force)
	USERMM_API(regmap_update_bits_base);
/* 1 if all of the bits are set, else 0; or a negative error. */
int regmap_test_bits(struct regmap *map, unsigned int reg, unsigned int bits)
	USERMM_API(regmap_test_bits);
/* count values from reg on, as integers of as many bytes as the map's values. */
int regmap_bulk_read(struct regmap *map, unsigned int reg, void *values, size_t count)
	USERMM_API(regmap_bulk_read);
int regmap_bulk_write(struct regmap *map, unsigned int reg, const void *values, size_t count)
	USERMM_API(regmap_bulk_write);
/* Of the registers whose numbers are in regs. */
int regmap_multi_reg_read(struct regmap *map, const unsigned int *regs, void *values, size_t count)
	USERMM_API(regmap_multi_reg_read);
/*
 * n bytes as they are in messages, for registers from reg on. -EINVAL if n is not a number of whole
 * values. Maps without messages: -EINVAL, or -ENOTSUPP for what is not cached.
 */
int regmap_raw_read(struct regmap *map, unsigned int reg, void *values, size_t n)
	USERMM_API(regmap_raw_read);
int regmap_raw_write(struct regmap *map, unsigned int reg, const void *values, size_t n)
	USERMM_API(regmap_raw_write);
/* n bytes, all for a volatile register that is a queue. */
int regmap_noinc_read(struct regmap *map, unsigned int reg, void *values, size_t n)
	USERMM_API(regmap_noinc_read);
int regmap_noinc_write(struct regmap *map, unsigned int reg, const void *values, size_t n)
	USERMM_API(regmap_noinc_write);
/* In this order, with a delay after each. With can_multi_write as few messages as can be. */
int regmap_multi_reg_write(struct regmap *map, const struct reg_sequence *sequence, int n)
	USERMM_API(regmap_multi_reg_write);
int regmap_multi_reg_write_bypassed(struct regmap *map, const struct reg_sequence *sequence, int n)
	USERMM_API(regmap_multi_reg_write_bypassed);
/* Written now, past the cache, and before each regcache_sync(). */
int regmap_register_patch(struct regmap *map, const struct reg_sequence *sequence, int n)
	USERMM_API(regmap_register_patch);

/*
 * If the cache has what the device has not (it was cache_only, or mark_dirty was called), what it
 * has is written to the device; after mark_dirty, defaults are not. 0, or the device's error: then
 * the cache stays dirty. A map without a cache: a warning, and -EINVAL.
 */
int regcache_sync(struct regmap *map) USERMM_API(regcache_sync);
int regcache_sync_region(struct regmap *map, unsigned int min, unsigned int max)
	USERMM_API(regcache_sync_region);
/* Forgets what is cached. -EINVAL for REGCACHE_FLAT, and without a cache. */
int regcache_drop_region(struct regmap *map, unsigned int min, unsigned int max)
	USERMM_API(regcache_drop_region);
/* Writes go to the cache alone, and what is not there cannot be read. */
void regcache_cache_only(struct regmap *map, bool only) USERMM_API(regcache_cache_only);
/* Accesses go to the device alone. */
void regcache_cache_bypass(struct regmap *map, bool bypass) USERMM_API(regcache_cache_bypass);
/* The device was reset: it has its defaults. */
void regcache_mark_dirty(struct regmap *map) USERMM_API(regcache_mark_dirty);
bool regcache_reg_cached(struct regmap *map, unsigned int reg) USERMM_API(regcache_reg_cached);
/* By number. The map sorts its copy by itself. */
void regcache_sort_defaults(struct reg_default *defaults, unsigned int n)
	USERMM_API(regcache_sort_defaults);
/*
 * A new cache as the config says, which also has the registers' functions. Nobody may use the map
 * meanwhile. regmap_init()'s errors; after one the map can be freed, and no more.
 */
int regmap_reinit_cache(struct regmap *map, const struct regmap_config *config)
	USERMM_API(regmap_reinit_cache);

/* Bits of a register. ERR_PTR(-ENOMEM) without memory; a bulk of n is one block: free the first. */
struct regmap_field *regmap_field_alloc(struct regmap *map, struct reg_field from)
	USERMM_API(regmap_field_alloc);
struct regmap_field *devm_regmap_field_alloc(struct device *dev, struct regmap *map,
					     struct reg_field from)
	USERMM_API(devm_regmap_field_alloc);
int regmap_field_bulk_alloc(struct regmap *map, struct regmap_field **fields,
			    const struct reg_field *from, int n)
	USERMM_API(regmap_field_bulk_alloc);
int devm_regmap_field_bulk_alloc(struct device *dev, struct regmap *map,
				 struct regmap_field **fields, const struct reg_field *from, int n)
	USERMM_API(devm_regmap_field_bulk_alloc);
void regmap_field_free(struct regmap_field *field) USERMM_API(regmap_field_free);
void devm_regmap_field_free(struct device *dev, struct regmap_field *field)
	USERMM_API(devm_regmap_field_free);
#define regmap_field_bulk_free regmap_field_free
#define devm_regmap_field_bulk_free devm_regmap_field_free
/* As the calls for registers; the lowest bit is the field's. */
int regmap_field_read(struct regmap_field *field, unsigned int *value)
	USERMM_API(regmap_field_read);
int regmap_field_update_bits_base(struct regmap_field *field, unsigned int mask,
				  unsigned int value, bool *change, bool async, bool force)
	USERMM_API(regmap_field_update_bits_base);
int regmap_field_test_bits(struct regmap_field *field, unsigned int bits)
	USERMM_API(regmap_field_test_bits);
/* Of register id of id_size alike ones. -EINVAL for another id. */
int regmap_fields_read(struct regmap_field *field, unsigned int id, unsigned int *value)
	USERMM_API(regmap_fields_read);
int regmap_fields_update_bits_base(struct regmap_field *field, unsigned int id, unsigned int mask,
				   unsigned int value, bool *change, bool async, bool force)
	USERMM_API(regmap_fields_update_bits_base);

USERMM_END_DECLS

DEFINE_FREE(regmap_field, struct regmap_field *, if (_T) regmap_field_free(_T))

#define regmap_init_mmio(dev, base, config) regmap_init_mmio_clk(dev, NULL, base, config)
#define devm_regmap_init(dev, bus, context, config) \
	usermm_devm_regmap(dev, regmap_init(dev, bus, context, config))
#define devm_regmap_init_i2c(client, config) \
	usermm_devm_regmap(&(client)->dev, regmap_init_i2c(client, config))
#define devm_regmap_init_sccb(client, config) \
	usermm_devm_regmap(&(client)->dev, regmap_init_sccb(client, config))
#define devm_regmap_init_spi(spi, config) \
	usermm_devm_regmap(&(spi)->dev, regmap_init_spi(spi, config))
#define devm_regmap_init_mmio(dev, base, config) \
	devm_regmap_init_mmio_clk(dev, NULL, base, config)
#define devm_regmap_init_mmio_clk(dev, clk_id, base, config) \
	usermm_devm_regmap(dev, regmap_init_mmio_clk(dev, clk_id, base, config))
/* What Linux's macros of these names call; there is no lockdep. */
#define __regmap_init(dev, bus, context, config, key, name) \
	((void)(key), (void)(name), regmap_init(dev, bus, context, config))
#define __regmap_lockdep_wrapper(make, name, ...) make(__VA_ARGS__, NULL, NULL)

static inline int regmap_update_bits(struct regmap *map, unsigned int reg, unsigned int mask,
				     unsigned int value)
{
	return regmap_update_bits_base(map, reg, mask, value, NULL, false, false);
}

static inline int regmap_update_bits_check(struct regmap *map, unsigned int reg, unsigned int mask,
					   unsigned int value, bool *change)
{
	return regmap_update_bits_base(map, reg, mask, value, change, false, false);
}

static inline int regmap_write_bits(struct regmap *map, unsigned int reg, unsigned int mask,
				    unsigned int value)
{
	return regmap_update_bits_base(map, reg, mask, value, NULL, false, true);
}

static inline int regmap_set_bits(struct regmap *map, unsigned int reg, unsigned int bits)
{
	return regmap_update_bits(map, reg, bits, bits);
}

static inline int regmap_clear_bits(struct regmap *map, unsigned int reg, unsigned int bits)
{
	return regmap_update_bits(map, reg, bits, 0);
}

static inline int regmap_assign_bits(struct regmap *map, unsigned int reg, unsigned int bits,
				     bool value)
{
	return regmap_update_bits(map, reg, bits, value ? bits : 0);
}

#define regmap_update_bits_async(map, reg, mask, value) regmap_update_bits(map, reg, mask, value)
#define regmap_update_bits_check_async(map, reg, mask, value, change) \
	regmap_update_bits_check(map, reg, mask, value, change)
#define regmap_write_async regmap_write
#define regmap_raw_write_async regmap_raw_write
#define regmap_async_complete(map) ((void)(map), 0)

/* A reg_default_cb() that knows all registers. */
static inline int regmap_default_zero_cb(struct device *dev, unsigned int reg, unsigned int *value)
{
	(void)dev;
	(void)reg;
	*value = 0;
	return 0;
}

#define regmap_read_poll_timeout(map, reg, value, condition, sleep_us, timeout_us) \
	USERMM_REGMAP_POLL(read_poll_timeout, sleep_us, timeout_us, false, condition, \
			   regmap_read, map, reg, &(value))
#define regmap_read_poll_timeout_atomic(map, reg, value, condition, delay_us, timeout_us) \
	USERMM_REGMAP_POLL(read_poll_timeout_atomic, delay_us, timeout_us, false, condition, \
			   regmap_read, map, reg, &(value))
#define regmap_field_read_poll_timeout(field, value, condition, sleep_us, timeout_us) \
	USERMM_REGMAP_POLL(read_poll_timeout, sleep_us, timeout_us, false, condition, \
			   regmap_field_read, field, &(value))
#define USERMM_REGMAP_POLL(poll, us, timeout_us, first, condition, read, ...)	\
	({									\
		int poll_error_, poll_end_ = poll(read, poll_error_,		\
			poll_error_ || (condition), us, timeout_us, first, __VA_ARGS__); \
										\
		poll_error_ ? poll_error_ : poll_end_;				\
	})

static inline int regmap_field_update_bits(struct regmap_field *field, unsigned int mask,
					   unsigned int value)
{
	return regmap_field_update_bits_base(field, mask, value, NULL, false, false);
}

static inline int regmap_field_force_update_bits(struct regmap_field *field, unsigned int mask,
						 unsigned int value)
{
	return regmap_field_update_bits_base(field, mask, value, NULL, false, true);
}

static inline int regmap_field_write(struct regmap_field *field, unsigned int value)
{
	return regmap_field_update_bits(field, ~0U, value);
}

static inline int regmap_field_force_write(struct regmap_field *field, unsigned int value)
{
	return regmap_field_force_update_bits(field, ~0U, value);
}

static inline int regmap_field_set_bits(struct regmap_field *field, unsigned int bits)
{
	return regmap_field_update_bits(field, bits, bits);
}

static inline int regmap_field_clear_bits(struct regmap_field *field, unsigned int bits)
{
	return regmap_field_update_bits(field, bits, 0);
}

static inline int regmap_fields_update_bits(struct regmap_field *field, unsigned int id,
					    unsigned int mask, unsigned int value)
{
	return regmap_fields_update_bits_base(field, id, mask, value, NULL, false, false);
}

static inline int regmap_fields_force_update_bits(struct regmap_field *field, unsigned int id,
						  unsigned int mask, unsigned int value)
{
	return regmap_fields_update_bits_base(field, id, mask, value, NULL, false, true);
}

static inline int regmap_fields_write(struct regmap_field *field, unsigned int id,
				      unsigned int value)
{
	return regmap_fields_update_bits(field, id, ~0U, value);
}

static inline int regmap_fields_force_write(struct regmap_field *field, unsigned int id,
					    unsigned int value)
{
	return regmap_fields_force_update_bits(field, id, ~0U, value);
}

#endif
