// SPDX-License-Identifier: MIT
/*
 * Registers one by one: from the cache where it has them, else from the device.
 */
#include <linux/delay.h>
#include <linux/slab.h>
#include "regmap.h"

static int read_device(struct regmap *map, unsigned int reg, unsigned int *value)
{
	u8 bytes[4];
	int error;

	if (map->way == BY_FUNCTIONS)
		return map->config.reg_read(map->context, reg, value);
	if (map->way == BY_BYTES) {
		error = regmap_raw_read_locked(map, reg, bytes, map->val_bytes, false);
		if (!error)
			*value = regmap_get_value(map, bytes);
		return error;
	}
	error = regmap_select_page(map, &reg, 1);
	return error ?: map->bus->reg_read(map->context, regmap_address(map, reg), value);
}

static int write_device(struct regmap *map, unsigned int reg, unsigned int value)
{
	u8 message[REGMAP_MESSAGE_BYTES];
	int error;

	if (map->way == BY_FUNCTIONS)
		return map->config.reg_write ?
		       map->config.reg_write(map->context, reg, value) : -EINVAL;
	error = regmap_select_page(map, &reg, 1);
	if (error)
		return error;
	reg = regmap_address(map, reg);
	if (map->way == BY_REGISTERS)
		return map->bus->reg_write ?
		       map->bus->reg_write(map->context, reg, value) : -EINVAL;
	return map->write(map->context, message, regmap_put_message(map, message, reg, value));
}

int regmap_read_locked(struct regmap *map, unsigned int reg, unsigned int *value)
{
	int error;

	if (!map->cache_bypass && !regcache_read(map, reg, value))
		return 0;
	if (map->cache_only)
		return -EBUSY;
	if (!regmap_readable(map, reg))
		return -EIO;
	error = read_device(map, reg, value);
	/* What cannot be cached for want of memory is read again. */
	if (!error && !map->cache_bypass)
		regcache_write(map, reg, *value);
	return error;
}

int regmap_cache_before_write(struct regmap *map, unsigned int reg, unsigned int value, bool *done)
{
	int error;

	*done = false;
	if (map->cache_bypass)
		return 0;
	error = regcache_write(map, reg, value);
	if (!error && map->cache_only) {
		map->cache_dirty = true;
		*done = true;
	}
	return error;
}

int regmap_write_locked(struct regmap *map, unsigned int reg, unsigned int value)
{
	bool done;
	int error;

	if (!regmap_writeable(map, reg))
		return -EIO;
	error = regmap_cache_before_write(map, reg, value, &done);
	if (error || done)
		return error;
	error = write_device(map, reg, value);
	if (error && regmap_has_raw_values(map) && !map->cache_bypass)
		regcache_forget(map, reg, reg);
	return error;
}

int regmap_update_bits_locked(struct regmap *map, unsigned int reg, unsigned int mask,
			      unsigned int value, bool *change, bool force)
{
	unsigned int old, new;
	bool written = false;
	int error;

	if (map->update_bits && regmap_volatile(map, reg)) {
		error = map->cache_only ? -EBUSY :
			map->update_bits(map->context, regmap_address(map, reg), mask, value);
		written = true;
	} else {
		error = regmap_read_locked(map, reg, &old);
		new = error ? 0 : (old & ~mask) | (value & mask);
		if (!error && (new != old || force)) {
			error = regmap_write_locked(map, reg, new);
			written = true;
		}
	}
	if (change)
		*change = written && !error;
	return error;
}

int regmap_read(struct regmap *map, unsigned int reg, unsigned int *value)
{
	int error;

	if (reg % map->stride)
		return -EINVAL;
	map->lock(map->lock_arg);
	error = regmap_read_locked(map, reg, value);
	map->unlock(map->lock_arg);
	return error;
}

int regmap_read_bypassed(struct regmap *map, unsigned int reg, unsigned int *value)
{
	bool bypass, only;
	int error;

	if (reg % map->stride)
		return -EINVAL;
	map->lock(map->lock_arg);
	bypass = map->cache_bypass;
	only = map->cache_only;
	map->cache_bypass = true;
	map->cache_only = false;
	error = regmap_read_locked(map, reg, value);
	map->cache_bypass = bypass;
	map->cache_only = only;
	map->unlock(map->lock_arg);
	return error;
}

int regmap_write(struct regmap *map, unsigned int reg, unsigned int value)
{
	int error;

	if (reg % map->stride)
		return -EINVAL;
	map->lock(map->lock_arg);
	error = regmap_write_locked(map, reg, value);
	map->unlock(map->lock_arg);
	return error;
}

int regmap_update_bits_base(struct regmap *map, unsigned int reg, unsigned int mask,
			    unsigned int value, bool *change, bool async, bool force)
{
	int error;

	(void)async;
	map->lock(map->lock_arg);
	error = regmap_update_bits_locked(map, reg, mask, value, change, force);
	map->unlock(map->lock_arg);
	return error;
}

int regmap_test_bits(struct regmap *map, unsigned int reg, unsigned int bits)
{
	unsigned int value;
	int error = regmap_read(map, reg, &value);

	return error ?: (value & bits) == bits;
}

static void wait(const struct regmap *map, unsigned int us)
{
	if (us && map->can_sleep)
		fsleep(us);
	else if (us)
		udelay(us);
}

/* Numbers and values in turn, as one message. */
static int write_pairs(struct regmap *map, const struct reg_sequence *sequence, size_t n)
{
	u8 *message = kmalloc_array(n, map->reg_bytes + map->pad_bytes + map->val_bytes,
				    map->gfp);
	u8 *end = message;
	int error;

	if (!message)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		end += regmap_put_number(map, end, regmap_address(map, sequence[i].reg),
					 i ? 0 : map->write_flag_mask & 0xff);
		regmap_put_value(map, end, sequence[i].def);
		end += map->val_bytes;
	}
	error = map->write(map->context, message, (size_t)(end - message));
	kfree(message);
	return error;
}

/* A message ends where a page does, and at a delay. */
static int write_messages(struct regmap *map, const struct reg_sequence *sequence, size_t n)
{
	struct reg_sequence *part = kmalloc_array(n, sizeof(*part), map->gfp);
	const struct reg_sequence *paged = NULL;	/* the last one that had a page */
	size_t filled = 0;
	int error = 0;

	if (!part)
		return -ENOMEM;
	for (size_t i = 0; i < n && !error; i++) {
		struct reg_sequence next = sequence[i];

		if (regmap_range_of(map, next.reg)) {
			if (filled && !(paged && regmap_is_same_page(map, paged->reg, next.reg))) {
				error = write_pairs(map, part, filled);
				filled = 0;
			}
			paged = &sequence[i];
			error = error ?: regmap_select_page(map, &next.reg, 1);
		}
		part[filled++] = next;
		if (!error && (next.delay_us || i + 1 == n)) {
			error = write_pairs(map, part, filled);
			filled = 0;
			wait(map, error ? 0 : next.delay_us);
		}
	}
	kfree(part);
	return error;
}

static int write_sequence(struct regmap *map, const struct reg_sequence *sequence, size_t n)
{
	bool done = false;
	int error = 0;

	if (!map->multi_write) {
		for (size_t i = 0; i < n && !error; i++) {
			error = regmap_write_locked(map, sequence[i].reg, sequence[i].def);
			wait(map, error ? 0 : sequence[i].delay_us);
		}
		return error;
	}
	if (!n || !regmap_has_raw_values(map) || map->val_bytes == 3)
		return -EINVAL;
	for (size_t i = 0; i < n; i++)
		if (sequence[i].reg % map->stride || !regmap_writeable(map, sequence[i].reg))
			return -EINVAL;
	for (size_t i = 0; i < n && !error; i++)
		error = regmap_cache_before_write(map, sequence[i].reg, sequence[i].def, &done);
	return error || done ? error : write_messages(map, sequence, n);
}

int regmap_multi_reg_write(struct regmap *map, const struct reg_sequence *sequence, int n)
{
	int error;

	map->lock(map->lock_arg);
	error = write_sequence(map, sequence, (size_t)n);
	map->unlock(map->lock_arg);
	return error;
}

int regmap_multi_reg_write_bypassed(struct regmap *map, const struct reg_sequence *sequence, int n)
{
	bool bypass;
	int error;

	map->lock(map->lock_arg);
	bypass = map->cache_bypass;
	map->cache_bypass = true;
	error = write_sequence(map, sequence, (size_t)n);
	map->cache_bypass = bypass;
	map->unlock(map->lock_arg);
	return error;
}
