// SPDX-License-Identifier: MIT
/*
 * Maps over devices of I2C: messages, or what the adapter has of SMBus instead.
 */
#include <linux/i2c.h>
#include <linux/slab.h>
#include "regmap.h"

static int outcome(int done, int wanted)
{
	return done == wanted ? 0 : done < 0 ? done : -EIO;
}

static int read_messages(void *context, const void *reg, size_t reg_size, void *value, size_t n)
{
	struct i2c_client *client = context;
	struct i2c_msg messages[] = {
		{ .addr = client->addr, .len = (u16)reg_size, .buf = (u8 *)reg },
		{ .addr = client->addr, .flags = I2C_M_RD, .len = (u16)n, .buf = value },
	};

	return outcome(i2c_transfer(client->adapter, messages, 2), 2);
}

static int write_message(void *context, const void *data, size_t n)
{
	return outcome(i2c_master_send(context, data, (int)n), (int)n);
}

static int read_block(void *context, const void *reg, size_t reg_size, void *value, size_t n)
{
	if (reg_size != 1 || !n)
		return -EINVAL;
	return outcome(i2c_smbus_read_i2c_block_data(context, *(const u8 *)reg, (u8)n, value),
		       (int)n);
}

static int write_block(void *context, const void *data, size_t n)
{
	const u8 *bytes = data;

	if (!n)
		return -EINVAL;
	return i2c_smbus_write_i2c_block_data(context, bytes[0], (u8)(n - 1), bytes + 1);
}

/* A register number of two bytes is sent as a command and its data; bytes are read one by one. */
static int read_block_by_word(void *context, const void *reg, size_t reg_size, void *value,
			      size_t n)
{
	const u8 *number = reg;
	u8 *to = value;
	int got;

	if (reg_size != 2)
		return -EINVAL;
	got = i2c_smbus_write_byte_data(context, number[0], number[1]);
	for (size_t i = 0; i < n && got >= 0; i++) {
		got = i2c_smbus_read_byte(context);
		to[i] = (u8)got;
	}
	return min(got, 0);
}

static int write_block_by_word(void *context, const void *data, size_t n)
{
	return n < 2 ? -EINVAL : write_block(context, data, n);
}

static int value_of(s32 got, unsigned int *value)
{
	if (got < 0)
		return got;
	*value = (unsigned int)got;
	return 0;
}

static int read_byte(void *client, unsigned int reg, unsigned int *value)
{
	return reg > 0xff ? -EINVAL : value_of(i2c_smbus_read_byte_data(client, (u8)reg), value);
}

static int write_byte(void *client, unsigned int reg, unsigned int value)
{
	if (reg > 0xff || value > 0xff)
		return -EINVAL;
	return i2c_smbus_write_byte_data(client, (u8)reg, (u8)value);
}

static int read_word(void *client, unsigned int reg, unsigned int *value)
{
	return reg > 0xff ? -EINVAL : value_of(i2c_smbus_read_word_data(client, (u8)reg), value);
}

static int write_word(void *client, unsigned int reg, unsigned int value)
{
	if (reg > 0xff || value > 0xffff)
		return -EINVAL;
	return i2c_smbus_write_word_data(client, (u8)reg, (u16)value);
}

static int read_swapped_word(void *client, unsigned int reg, unsigned int *value)
{
	return reg > 0xff ? -EINVAL : value_of(i2c_smbus_read_word_swapped(client, (u8)reg), value);
}

static int write_swapped_word(void *client, unsigned int reg, unsigned int value)
{
	if (reg > 0xff || value > 0xffff)
		return -EINVAL;
	return i2c_smbus_write_word_swapped(client, (u8)reg, (u16)value);
}

static const struct regmap_bus messages = { .read = read_messages, .write = write_message };
static const struct regmap_bus blocks = {
	.read = read_block, .write = write_block,
	.max_raw_read = I2C_SMBUS_BLOCK_MAX - 1, .max_raw_write = I2C_SMBUS_BLOCK_MAX - 1,
};
static const struct regmap_bus blocks_by_word = {
	.read = read_block_by_word, .write = write_block_by_word,
	.max_raw_read = I2C_SMBUS_BLOCK_MAX - 2, .max_raw_write = I2C_SMBUS_BLOCK_MAX - 2,
};
static const struct regmap_bus words = { .reg_read = read_word, .reg_write = write_word };
static const struct regmap_bus swapped_words = {
	.reg_read = read_swapped_word, .reg_write = write_swapped_word,
};
static const struct regmap_bus bytes = { .reg_read = read_byte, .reg_write = write_byte };

/* NULL if the adapter has no way for such registers. */
static const struct regmap_bus *bus_of(struct i2c_client *client,
				       const struct regmap_config *config)
{
	struct i2c_adapter *adapter = client->adapter;

	if (i2c_check_functionality(adapter, I2C_FUNC_I2C))
		return &messages;
	if (config->val_bits == 8 && (config->reg_bits == 8 || config->reg_bits == 16) &&
	    i2c_check_functionality(adapter, I2C_FUNC_SMBUS_I2C_BLOCK))
		return config->reg_bits == 8 ? &blocks : &blocks_by_word;
	if (config->val_bits == 16 && config->reg_bits == 8 &&
	    i2c_check_functionality(adapter, I2C_FUNC_SMBUS_WORD_DATA)) {
		if (config->val_format_endian == REGMAP_ENDIAN_NATIVE)
			return NULL;
		return config->val_format_endian == REGMAP_ENDIAN_LITTLE ? &words : &swapped_words;
	}
	if (config->val_bits == 8 && config->reg_bits == 8 &&
	    i2c_check_functionality(adapter, I2C_FUNC_SMBUS_BYTE_DATA))
		return &bytes;
	return NULL;
}

/* A camera is given the number in one message, and asked for the value in the next. */
static int read_camera(void *client, unsigned int reg, unsigned int *value)
{
	s32 error = reg > 0xff ? -EINVAL : i2c_smbus_write_byte(client, (u8)reg);

	return error < 0 ? error : value_of(i2c_smbus_read_byte(client), value);
}

struct regmap *regmap_init_sccb(struct i2c_client *client, const struct regmap_config *config)
{
	static const struct regmap_bus camera = {
		.reg_read = read_camera, .reg_write = write_byte,
	};

	if (config->val_bits != 8 || config->reg_bits != 8 ||
	    !i2c_check_functionality(client->adapter,
				     I2C_FUNC_SMBUS_BYTE | I2C_FUNC_SMBUS_WRITE_BYTE_DATA))
		return ERR_PTR(-ENOTSUPP);
	return regmap_init(&client->dev, &camera, client, config);
}

struct regmap *regmap_init_i2c(struct i2c_client *client, const struct regmap_config *config)
{
	const struct regmap_bus *bus = bus_of(client, config);

	return bus ? regmap_init(&client->dev, bus, client, config) : ERR_PTR(-ENOTSUPP);
}
