// SPDX-License-Identifier: MIT
/*
 * How messages look: a number of 8, 16, 24 or 32 bits, padding, and values of 8, 16, 24 or 32
 * bits. Some devices take a number and a value as one, whose bits do not end at bytes (packed).
 */
#include "regmap.h"

/* How a map asks for it, or else its bus; the highest byte comes first if neither does. */
bool regmap_is_little_endian(enum regmap_endian asked, enum regmap_endian of_bus)
{
	if (asked == REGMAP_ENDIAN_DEFAULT)
		asked = of_bus;
	return asked == REGMAP_ENDIAN_NATIVE ? CPU_IS_LITTLE_ENDIAN : asked == REGMAP_ENDIAN_LITTLE;
}

static void put_bytes(u8 *to, unsigned int n, u64 value, bool little_endian)
{
	for (unsigned int i = 0; i < n; i++)
		to[i] = (u8)(value >> 8 * (little_endian ? i : n - 1 - i));
}

static unsigned int get_bytes(const u8 *from, unsigned int n, bool little_endian)
{
	unsigned int value = 0;

	for (unsigned int i = 0; i < n; i++)
		value |= (unsigned int)from[i] << 8 * (little_endian ? i : n - 1 - i);
	return value;
}

static bool is_whole(unsigned int bits)
{
	return bits == 8 || bits == 16 || bits == 24 || bits == 32;
}

int regmap_choose_format(struct regmap *map)
{
	static const struct {
		unsigned int reg_bits, val_bits;
	} packed[] = { { 2, 6 }, { 4, 12 }, { 7, 9 }, { 7, 17 }, { 10, 14 }, { 12, 20 } };
	unsigned int reg_bits = (unsigned int)map->config.reg_bits + map->pad_shift;
	unsigned int val_bits = (unsigned int)map->config.val_bits;

	if (is_whole(reg_bits)) {
		if (!is_whole(val_bits) || (reg_bits == 24 && map->numbers_little_endian) ||
		    (val_bits == 24 && map->values_little_endian))
			return -EINVAL;
		return map->reg_bytes + map->pad_bytes + map->val_bytes <= REGMAP_MESSAGE_BYTES ?
		       0 : -EINVAL;
	}
	for (size_t i = 0; i < ARRAY_SIZE(packed); i++)
		if (packed[i].reg_bits == reg_bits && packed[i].val_bits == val_bits)
			map->is_packed = true;
	if (!map->is_packed || map->numbers_little_endian || map->values_little_endian)
		return -EINVAL;
	map->single_write = true;
	return 0;
}

void regmap_put_value(const struct regmap *map, void *to, unsigned int value)
{
	put_bytes(to, map->val_bytes, value, map->values_little_endian);
}

unsigned int regmap_get_value(const struct regmap *map, const void *from)
{
	return get_bytes(from, map->val_bytes, map->values_little_endian);
}

static bool is_integer(unsigned int bytes)
{
	return bytes == 1 || bytes == 2 || bytes == 4;
}

int regmap_put_native(const struct regmap *map, void *to, unsigned int value)
{
	if (!is_integer(map->val_bytes))
		return -EINVAL;
	put_bytes(to, map->val_bytes, value, CPU_IS_LITTLE_ENDIAN);
	return 0;
}

int regmap_get_native(const struct regmap *map, const void *from, unsigned int *value)
{
	if (!is_integer(map->val_bytes))
		return -EINVAL;
	*value = get_bytes(from, map->val_bytes, CPU_IS_LITTLE_ENDIAN);
	return 0;
}

size_t regmap_put_number(const struct regmap *map, u8 *to, unsigned int reg, unsigned long flags)
{
	put_bytes(to, map->reg_bytes, reg << map->pad_shift, map->numbers_little_endian);
	for (unsigned int i = 0; i < map->reg_bytes && i < sizeof(flags); i++)
		to[i] |= (u8)(flags >> 8 * i);
	memset(to + map->reg_bytes, 0, map->pad_bytes);
	return map->reg_bytes + map->pad_bytes;
}

size_t regmap_put_message(const struct regmap *map, u8 *to, unsigned int reg, unsigned int value)
{
	size_t n;

	if (map->is_packed) {
		n = (map->config.reg_bits + map->pad_shift + map->config.val_bits) / 8;
		put_bytes(to, (unsigned int)n, (u64)reg << map->config.val_bits | value, false);
		return n;
	}
	n = regmap_put_number(map, to, reg, map->write_flag_mask);
	regmap_put_value(map, to + n, value);
	return n + map->val_bytes;
}

int regmap_get_val_bytes(struct regmap *map)
{
	return map->is_packed ? -EINVAL : (int)map->val_bytes;
}

int regmap_parse_val(struct regmap *map, const void *bytes, unsigned int *value)
{
	if (!regmap_has_raw_values(map))
		return -EINVAL;
	*value = regmap_get_value(map, bytes);
	return 0;
}
