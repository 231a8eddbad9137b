/* SPDX-License-Identifier: MIT */
/*
 * What the parts of regmap share. A map is locked by its own lock(); functions whose names end in
 * _locked want that. cf. Linux drivers/base/regmap.
 */
#ifndef KERNEL_REGMAP_REGMAP_H
#define KERNEL_REGMAP_REGMAP_H

#include <linux/device.h>
#include <linux/mutex.h>
#include <linux/regmap.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>

/* How a map reaches its device. */
enum regmap_way {
	BY_FUNCTIONS,			/* the config's reg_read() and reg_write() */
	BY_REGISTERS,			/* the bus's reg_read() and reg_write() */
	BY_BYTES,			/* messages: a register's number, then values */
};

/* A message's number, padding and one value have at most this many bytes. */
#define REGMAP_MESSAGE_BYTES 32

struct regmap {
	/* The kernel's own tests read these two: they come first. Sync: lock() */
	bool cache_bypass;		/* accesses leave the cache as it is */
	bool cache_only;		/* accesses leave the device as it is */

	struct list_head all;		/* Sync: init.c's maps_lock */
	struct device *dev;
	const char *name;		/* of the config; NULL */
	const struct regmap_bus *bus;	/* NULL */
	void *context;
	struct regmap_config config;	/* its ranges are the map's own copy, its tables are not */
	bool max_register_is_set;
	gfp_t gfp;

	void (*lock)(void *lock_arg);
	void (*unlock)(void *lock_arg);
	void *lock_arg;
	bool can_sleep;
	struct mutex mutex;
	raw_spinlock_t spinlock;
	unsigned long spinlock_flags;	/* Sync: spinlock */

	/* How its messages look: format.c. */
	enum regmap_way way;
	unsigned int stride, reg_bytes, pad_bytes, val_bytes;
	unsigned int pad_shift;		/* bits of padding that share a byte with the number */
	bool is_packed;			/* number and value share a byte */
	bool numbers_little_endian, values_little_endian;
	unsigned long read_flag_mask, write_flag_mask;	/* the lowest byte is for the first one */
	int (*read)(void *context, const void *reg, size_t reg_size, void *value, size_t n);
	int (*write)(void *context, const void *data, size_t n);
	int (*update_bits)(void *context, unsigned int reg, unsigned int mask, unsigned int value);
	bool single_read, single_write, multi_write;
	size_t max_raw_read, max_raw_write;

	/* cache.c. Sync: lock() */
	struct xarray cache;		/* numbers to xa_mk_value(value) */
	bool cache_dirty;		/* the cache has what the device has not */
	bool no_sync_defaults;		/* the device has its defaults again */
	struct reg_default *defaults;	/* sorted by number */
	unsigned int nr_defaults;
	struct reg_sequence *patch;	/* written before each sync */
	int nr_patch;
};

#ifdef __LITTLE_ENDIAN
#define CPU_IS_LITTLE_ENDIAN true
#else
#define CPU_IS_LITTLE_ENDIAN false
#endif

/* A message has a number and whole values, so that values can be moved as they are. */
static inline bool regmap_has_raw_values(const struct regmap *map)
{
	return map->way == BY_BYTES && !map->is_packed;
}

/* Number of the register that comes n registers later. */
static inline unsigned int regmap_next(const struct regmap *map, unsigned int reg, size_t n)
{
	return reg + (unsigned int)n * map->stride;
}

/* tables.c: what a register allows. */
bool regmap_readable(struct regmap *map, unsigned int reg);
bool regmap_writeable(struct regmap *map, unsigned int reg);
bool regmap_volatile(struct regmap *map, unsigned int reg);
bool regmap_volatile_range(struct regmap *map, unsigned int reg, size_t n);
bool regmap_readable_noinc(struct regmap *map, unsigned int reg);
bool regmap_writeable_noinc(struct regmap *map, unsigned int reg);

/* format.c */
/* 0, or -EINVAL for a format that does not exist. */
int regmap_choose_format(struct regmap *map);
bool regmap_is_little_endian(enum regmap_endian asked, enum regmap_endian of_bus);
/* Values of val_bytes in messages. */
void regmap_put_value(const struct regmap *map, void *to, unsigned int value);
unsigned int regmap_get_value(const struct regmap *map, const void *from);
/* Values of val_bytes in the processor's order. -EINVAL for 3 bytes, which no integer has. */
int regmap_put_native(const struct regmap *map, void *to, unsigned int value);
int regmap_get_native(const struct regmap *map, const void *from, unsigned int *value);
/* The number and its padding. Returns their size. */
size_t regmap_put_number(const struct regmap *map, u8 *to, unsigned int reg, unsigned long flags);
/* A message of a number and a value. Returns its size. */
size_t regmap_put_message(const struct regmap *map, u8 *to, unsigned int reg, unsigned int value);

/* access.c */
int regmap_read_locked(struct regmap *map, unsigned int reg, unsigned int *value);
int regmap_write_locked(struct regmap *map, unsigned int reg, unsigned int value);
int regmap_update_bits_locked(struct regmap *map, unsigned int reg, unsigned int mask,
			      unsigned int value, bool *change, bool force);
/* Caches a value that is about to be written. *done says that the device is not to see it. */
int regmap_cache_before_write(struct regmap *map, unsigned int reg, unsigned int value, bool *done);

/* window.c: registers that are reached through a window. */
/* The configured range of the register; NULL. */
const struct regmap_range_cfg *regmap_range_of(const struct regmap *map, unsigned int reg);
/*
 * Selects the page of n registers, if they have one. *reg becomes their number in the window.
 * -EINVAL if they are not in one page.
 */
int regmap_select_page(struct regmap *map, unsigned int *reg, size_t n);
/* Does a range have both registers in one page? */
bool regmap_is_same_page(const struct regmap *map, unsigned int reg, unsigned int other);
int regmap_check_ranges(struct regmap *map);
/* The number by which the device knows a register, without pages. */
unsigned int regmap_address(const struct regmap *map, unsigned int reg);

/* raw.c: bytes as they are in messages. n is their number. */
int regmap_raw_read_locked(struct regmap *map, unsigned int reg, void *values, size_t n,
			   bool noinc);
int regmap_raw_write_locked(struct regmap *map, unsigned int reg, const void *values, size_t n,
			    bool noinc);

/* cache.c */
int regcache_init(struct regmap *map);
void regcache_exit(struct regmap *map);
/* -ENOENT if nothing is cached; -EINVAL if nothing can be. */
int regcache_read(struct regmap *map, unsigned int reg, unsigned int *value);
int regcache_write(struct regmap *map, unsigned int reg, unsigned int value);
void regcache_forget(struct regmap *map, unsigned int min, unsigned int max);

#endif
