// SPDX-License-Identifier: MIT
/*
 * Many values at once: as bytes of messages (raw), as integers (bulk), or all for one register
 * (noinc), which is a queue of the device's then.
 */
#include <linux/slab.h>
#include "regmap.h"

static int read_message(struct regmap *map, unsigned int reg, void *values, size_t n, bool noinc)
{
	u8 number[REGMAP_MESSAGE_BYTES];
	int error;

	error = regmap_select_page(map, &reg, noinc ? 1 : n / map->val_bytes);
	if (error)
		return error;
	return map->read(map->context, number,
			 regmap_put_number(map, number, regmap_address(map, reg),
					   map->read_flag_mask), values, n);
}

/* In messages of at most max_bytes, or of one value; 0: as many as there are. */
static size_t bytes_of_message(const struct regmap *map, size_t n, bool single, size_t max_bytes)
{
	if (single)
		return map->val_bytes;
	if (max_bytes && n > max_bytes)
		return max(max_bytes - max_bytes % map->val_bytes, (size_t)map->val_bytes);
	return n;
}

int regmap_raw_read_locked(struct regmap *map, unsigned int reg, void *values, size_t n, bool noinc)
{
	const size_t each = bytes_of_message(map, n, map->single_read && !noinc, map->max_raw_read);
	int error = 0;

	for (size_t done = 0; done < n && !error; done += each) {
		size_t now = min(each, n - done);

		error = read_message(map, reg, (u8 *)values + done, now, noinc);
		if (!noinc)
			reg = regmap_next(map, reg, now / map->val_bytes);
	}
	return error;
}

/* The number and the values are in one buffer, unless the bus joins them itself. */
static int write_message(struct regmap *map, unsigned int reg, const void *values, size_t n,
			 bool noinc)
{
	u8 number[REGMAP_MESSAGE_BYTES], *message;
	size_t head;
	int error = regmap_select_page(map, &reg, noinc ? 1 : n / map->val_bytes);

	if (error)
		return error;
	head = regmap_put_number(map, number, regmap_address(map, reg), map->write_flag_mask);
	if (n > map->val_bytes && map->bus && map->bus->gather_write) {
		error = map->bus->gather_write(map->context, number, head, values, n);
		if (error != -ENOTSUPP)
			return error;
	}
	message = kmalloc(head + n, map->gfp);
	if (!message)
		return -ENOMEM;
	memcpy(message, number, head);
	memcpy(message + head, values, n);
	error = map->write(map->context, message, head + n);
	kfree(message);
	return error;
}

static size_t values_to_page_end(const struct regmap_range_cfg *range, unsigned int reg)
{
	return range->window_len - (reg - range->range_min) % range->window_len;
}

/* A message ends where a page does. */
static int write_pages(struct regmap *map, unsigned int reg, const void *values, size_t n,
		       bool noinc)
{
	const struct regmap_range_cfg *range = regmap_range_of(map, reg);
	int error = 0;

	while (n && !error) {
		size_t now = n;

		if (range && !noinc)
			now = min(n, map->val_bytes * values_to_page_end(range, reg));
		error = write_message(map, reg, values, now, noinc);
		reg += (unsigned int)(now / map->val_bytes);
		values = (const u8 *)values + now;
		n -= now;
	}
	return error;
}

/* A queue caches the last value that it was given. */
static int cache_values(struct regmap *map, unsigned int reg, const u8 *values, size_t n,
			bool noinc, bool *done)
{
	int error = 0;

	*done = false;
	for (size_t i = noinc ? n - map->val_bytes : 0; i < n && !error; i += map->val_bytes)
		error = regmap_cache_before_write(map, noinc ? reg :
						  regmap_next(map, reg, i / map->val_bytes),
						  regmap_get_value(map, values + i), done);
	return error;
}

/* Where the map says which registers are queues, a message has one queue or none. */
static bool may_write(struct regmap *map, unsigned int reg, size_t n)
{
	if (regmap_writeable_noinc(map, reg))
		return true;
	for (size_t i = 0; i < n; i++, reg = regmap_next(map, reg, 1))
		if (!regmap_writeable(map, reg) || regmap_writeable_noinc(map, reg))
			return false;
	return true;
}

int regmap_raw_write_locked(struct regmap *map, unsigned int reg, const void *values, size_t n,
			    bool noinc)
{
	const size_t each = bytes_of_message(map, n, map->single_write && !noinc,
					     map->max_raw_write);
	int error = n ? 0 : -EINVAL;

	for (size_t at = 0; at < n && !error; at += each) {
		size_t now = min(each, n - at), count = now / map->val_bytes;
		const u8 *part = (const u8 *)values + at;
		bool done;

		if (!may_write(map, reg, count))
			return -EINVAL;
		error = cache_values(map, reg, part, now, noinc, &done);
		if (!error && !done) {
			error = write_pages(map, reg, part, now, noinc);
			if (error && !map->cache_bypass)
				regcache_forget(map, reg, regmap_next(map, reg, count - 1));
		}
		if (!noinc)
			reg = regmap_next(map, reg, count);
	}
	return error;
}

bool regmap_can_raw_write(struct regmap *map)
{
	return regmap_has_raw_values(map);
}

size_t regmap_get_raw_read_max(struct regmap *map)
{
	return map->max_raw_read;
}

size_t regmap_get_raw_write_max(struct regmap *map)
{
	return map->max_raw_write;
}

int regmap_raw_write(struct regmap *map, unsigned int reg, const void *values, size_t n)
{
	int error;

	if (!regmap_can_raw_write(map) || n % map->val_bytes)
		return -EINVAL;
	map->lock(map->lock_arg);
	error = regmap_raw_write_locked(map, reg, values, n, false);
	map->unlock(map->lock_arg);
	return error;
}

/* From the device unless they are cached. */
int regmap_raw_read(struct regmap *map, unsigned int reg, void *values, size_t n)
{
	const size_t count = map->val_bytes ? n / map->val_bytes : 0;
	unsigned int value;
	int error = 0;

	if (!count || n % map->val_bytes || reg % map->stride)
		return -EINVAL;
	map->lock(map->lock_arg);
	if (!map->cache_bypass && map->config.cache_type != REGCACHE_NONE &&
	    !regmap_volatile_range(map, reg, count)) {
		for (size_t i = 0; i < count && !error; i++) {
			error = regmap_read_locked(map, regmap_next(map, reg, i), &value);
			if (!error)
				regmap_put_value(map, (u8 *)values + i * map->val_bytes, value);
		}
	} else if (!map->cache_bypass && map->cache_only) {
		error = -EBUSY;
	} else if (!map->read || map->is_packed) {
		error = -ENOTSUPP;
	} else {
		error = regmap_raw_read_locked(map, reg, values, n, false);
	}
	map->unlock(map->lock_arg);
	return error;
}

static int check_noinc(struct regmap *map, unsigned int reg, size_t n)
{
	return !n || !map->val_bytes || n % map->val_bytes || reg % map->stride ? -EINVAL : 0;
}

static int noinc_write_by_registers(struct regmap *map, unsigned int reg, const void *values,
				    size_t count)
{
	const u8 *last_bytes = (const u8 *)values + (count - 1) * map->val_bytes;
	unsigned int last;
	bool done;
	int error = regmap_get_native(map, last_bytes, &last);

	error = error ?: regmap_cache_before_write(map, reg, last, &done);
	if (error || done)
		return error;
	return map->bus->reg_noinc_write(map->context, regmap_address(map, reg), values, count);
}

int regmap_noinc_write(struct regmap *map, unsigned int reg, const void *values, size_t n)
{
	const bool by_registers = map->bus && map->bus->reg_noinc_write;
	int error;

	if ((!by_registers && !regmap_has_raw_values(map)) || check_noinc(map, reg, n))
		return -EINVAL;
	map->lock(map->lock_arg);
	if (!regmap_volatile(map, reg) || !regmap_writeable_noinc(map, reg))
		error = -EINVAL;
	else if (by_registers)
		error = noinc_write_by_registers(map, reg, values, n / map->val_bytes);
	else
		error = regmap_raw_write_locked(map, reg, values, n, true);
	map->unlock(map->lock_arg);
	return error;
}

int regmap_noinc_read(struct regmap *map, unsigned int reg, void *values, size_t n)
{
	const bool by_registers = map->bus && map->bus->reg_noinc_read;
	int error;

	if (!by_registers && !regmap_has_raw_values(map))
		return -ENOTSUPP;
	if (check_noinc(map, reg, n))
		return -EINVAL;
	map->lock(map->lock_arg);
	if (!regmap_volatile(map, reg) || !regmap_readable_noinc(map, reg))
		error = -EINVAL;
	else if (!map->cache_bypass && map->cache_only)
		error = -EBUSY;
	else if (by_registers)
		error = map->bus->reg_noinc_read(map->context, regmap_address(map, reg), values,
						 n / map->val_bytes);
	else
		error = regmap_raw_read_locked(map, reg, values, n, true);
	map->unlock(map->lock_arg);
	return error;
}

/* Integers in the caller's memory become the device's bytes, or the other way round. */
static void to_device(const struct regmap *map, u8 *values, size_t n)
{
	unsigned int value = 0;

	for (size_t i = 0; i < n; i += map->val_bytes) {
		regmap_get_native(map, values + i, &value);
		regmap_put_value(map, values + i, value);
	}
}

static void from_device(const struct regmap *map, u8 *values, size_t n)
{
	for (size_t i = 0; i < n; i += map->val_bytes)
		regmap_put_native(map, values + i, regmap_get_value(map, values + i));
}

static int write_each(struct regmap *map, unsigned int reg, const u8 *values, size_t count)
{
	unsigned int value = 0;
	int error = 0;

	map->lock(map->lock_arg);
	for (size_t i = 0; i < count && !error; i++) {
		error = regmap_get_native(map, values + i * map->val_bytes, &value);
		error = error ?: regmap_write_locked(map, regmap_next(map, reg, i), value);
	}
	map->unlock(map->lock_arg);
	return error;
}

int regmap_bulk_write(struct regmap *map, unsigned int reg, const void *values, size_t count)
{
	const size_t n = count * map->val_bytes;
	void *copy;
	int error;

	if (reg % map->stride)
		return -EINVAL;
	if (!regmap_has_raw_values(map) || map->val_bytes == 3)
		return write_each(map, reg, values, count);
	copy = kmemdup(values, n, map->gfp);
	if (!copy)
		return -ENOMEM;
	to_device(map, copy, n);
	error = regmap_raw_write(map, reg, copy, n);
	kfree(copy);
	return error;
}

/* The registers of regs, or count from reg on. */
static int read_each(struct regmap *map, unsigned int reg, const unsigned int *regs, u8 *values,
		     size_t count)
{
	unsigned int value;
	int error = 0;

	map->lock(map->lock_arg);
	for (size_t i = 0; i < count && !error; i++) {
		unsigned int next = regs ? regs[i] : regmap_next(map, reg, i);

		error = next % map->stride ? -EINVAL : regmap_read_locked(map, next, &value);
		error = error ?: regmap_put_native(map, values + i * map->val_bytes, value);
	}
	map->unlock(map->lock_arg);
	return error;
}

int regmap_bulk_read(struct regmap *map, unsigned int reg, void *values, size_t count)
{
	const size_t n = count * map->val_bytes;
	int error;

	if (reg % map->stride || !count)
		return -EINVAL;
	if (!regmap_has_raw_values(map) || map->val_bytes == 3 ||
	    (map->config.cache_type != REGCACHE_NONE && !regmap_volatile_range(map, reg, count)))
		return read_each(map, reg, NULL, values, count);
	error = regmap_raw_read(map, reg, values, n);
	if (!error)
		from_device(map, values, n);
	return error;
}

int regmap_multi_reg_read(struct regmap *map, const unsigned int *regs, void *values, size_t count)
{
	return count ? read_each(map, 0, regs, values, count) : -EINVAL;
}
