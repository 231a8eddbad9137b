// SPDX-License-Identifier: MIT
/* Registers by number: see linux/regmap.h. cf. Linux drivers/base/regmap. */
#include <linux/device.h>
#include <linux/i2c.h>
#include <linux/io.h>
#include <linux/mutex.h>
#include <linux/regmap.h>
#include <linux/slab.h>
#include <linux/spi/spi.h>
#include <linux/unaligned.h>

struct regmap {
	struct list_head all;		/* Sync: maps_lock */
	struct device *dev;
	struct mutex lock;		/* one access at a time */
	const struct regmap_bus *bus;
	void *context;
	struct regmap_config config;
	unsigned int stride, reg_bytes, val_bytes;
	bool numbers_little_endian, little_endian;	/* register numbers, values on the bus */
};

#ifdef __LITTLE_ENDIAN
#define CPU_IS_LITTLE_ENDIAN true
#else
#define CPU_IS_LITTLE_ENDIAN false
#endif

/* How a map asks for it, or else its bus; the highest byte comes first if neither does. */
static bool is_little_endian(enum regmap_endian asked, enum regmap_endian of_bus)
{
	if (asked == REGMAP_ENDIAN_DEFAULT)
		asked = of_bus;
	return asked == REGMAP_ENDIAN_NATIVE ? CPU_IS_LITTLE_ENDIAN : asked == REGMAP_ENDIAN_LITTLE;
}

static DEFINE_MUTEX(maps_lock);
static LIST_HEAD(maps);			/* Sync: maps_lock */

static bool is_in(const struct regmap_range *ranges, unsigned int n, unsigned int reg)
{
	for (unsigned int i = 0; i < n; i++)
		if (reg >= ranges[i].range_min && reg <= ranges[i].range_max)
			return true;
	return false;
}

static bool is_allowed(const struct regmap *map, unsigned int reg,
		       bool (*ask)(struct device *, unsigned int),
		       const struct regmap_access_table *table)
{
	if ((map->config.max_register && reg > map->config.max_register) || reg % map->stride)
		return false;
	if (ask)
		return ask(map->dev, reg);
	if (!table)
		return true;
	return !is_in(table->no_ranges, table->n_no_ranges, reg) &&
	       (!table->n_yes_ranges || is_in(table->yes_ranges, table->n_yes_ranges, reg));
}

static void put_bytes(u8 *to, unsigned int n, unsigned int value, bool little_endian)
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

static int read_bytes(struct regmap *map, unsigned int reg, unsigned int *value)
{
	u8 number[4], bytes[4];
	int error;

	put_bytes(number, map->reg_bytes, reg, map->numbers_little_endian);
	number[0] |= (u8)(map->config.read_flag_mask | map->bus->read_flag_mask);
	error = map->bus->read(map->context, number, map->reg_bytes, bytes, map->val_bytes);
	if (!error)
		*value = get_bytes(bytes, map->val_bytes, map->little_endian);
	return error;
}

static int write_bytes(struct regmap *map, unsigned int reg, unsigned int value)
{
	u8 bytes[8];

	put_bytes(bytes, map->reg_bytes, reg, map->numbers_little_endian);
	bytes[0] |= (u8)map->config.write_flag_mask;
	put_bytes(bytes + map->reg_bytes, map->val_bytes, value, map->little_endian);
	return map->bus->write(map->context, bytes, map->reg_bytes + map->val_bytes);
}

static int read_locked(struct regmap *map, unsigned int reg, unsigned int *value)
{
	if (!is_allowed(map, reg, map->config.readable_reg, map->config.rd_table))
		return -EIO;
	if (map->config.reg_read)
		return map->config.reg_read(map->context, reg, value);
	if (map->bus && map->bus->reg_read)
		return map->bus->reg_read(map->context, reg, value);
	return map->bus && map->bus->read ? read_bytes(map, reg, value) : -EINVAL;
}

static int write_locked(struct regmap *map, unsigned int reg, unsigned int value)
{
	if (!is_allowed(map, reg, map->config.writeable_reg, map->config.wr_table))
		return -EIO;
	if (map->config.reg_write)
		return map->config.reg_write(map->context, reg, value);
	if (map->bus && map->bus->reg_write)
		return map->bus->reg_write(map->context, reg, value);
	return map->bus && map->bus->write ? write_bytes(map, reg, value) : -EINVAL;
}

int regmap_read(struct regmap *map, unsigned int reg, unsigned int *value)
{
	int error;

	mutex_lock(&map->lock);
	error = read_locked(map, reg, value);
	mutex_unlock(&map->lock);
	return error;
}

int regmap_write(struct regmap *map, unsigned int reg, unsigned int value)
{
	int error;

	mutex_lock(&map->lock);
	error = write_locked(map, reg, value);
	mutex_unlock(&map->lock);
	return error;
}

int regmap_update_bits_base(struct regmap *map, unsigned int reg, unsigned int mask,
			    unsigned int value, bool *change, bool async, bool force)
{
	unsigned int old, new = 0;
	int error;

	(void)async;
	mutex_lock(&map->lock);
	error = read_locked(map, reg, &old);
	if (!error) {
		new = (old & ~mask) | (value & mask);
		if (new != old || force)
			error = write_locked(map, reg, new);
	}
	mutex_unlock(&map->lock);
	if (change)
		*change = !error && new != old;
	return error;
}

/* Values in the caller's memory are in the processor's order of bytes. */
int regmap_bulk_read(struct regmap *map, unsigned int reg, void *values, size_t n)
{
	u8 *to = values;
	int error = 0;

	mutex_lock(&map->lock);
	for (size_t i = 0; i < n && !error; i++, to += map->val_bytes) {
		unsigned int value = 0;

		error = read_locked(map, reg + (unsigned int)i * map->stride, &value);
		put_bytes(to, map->val_bytes, value, CPU_IS_LITTLE_ENDIAN);
	}
	mutex_unlock(&map->lock);
	return error;
}

int regmap_bulk_write(struct regmap *map, unsigned int reg, const void *values, size_t n)
{
	const u8 *from = values;
	int error = 0;

	mutex_lock(&map->lock);
	for (size_t i = 0; i < n && !error; i++, from += map->val_bytes)
		error = write_locked(map, reg + (unsigned int)i * map->stride,
				     get_bytes(from, map->val_bytes, CPU_IS_LITTLE_ENDIAN));
	mutex_unlock(&map->lock);
	return error;
}

int regmap_multi_reg_write(struct regmap *map, const struct reg_sequence *sequence, int n)
{
	int error = 0;

	for (int i = 0; i < n && !error; i++)
		error = regmap_write(map, sequence[i].reg, sequence[i].def);
	return error;
}

struct regmap *regmap_init(struct device *dev, const struct regmap_bus *bus, void *context,
			   const struct regmap_config *config)
{
	struct regmap *map;

	if (!config || (!bus && !config->reg_read && !config->reg_write) ||
	    config->val_bits < 1 || config->val_bits > 32 || config->reg_bits > 32)
		return ERR_PTR(-EINVAL);
	map = kzalloc(sizeof(*map), GFP_KERNEL);
	if (!map)
		return ERR_PTR(-ENOMEM);
	mutex_init(&map->lock);
	map->dev = dev;
	map->bus = bus;
	map->context = context;
	map->config = *config;
	map->stride = config->reg_stride ? (unsigned int)config->reg_stride : 1;
	map->reg_bytes = DIV_ROUND_UP((unsigned int)config->reg_bits, 8);
	map->val_bytes = DIV_ROUND_UP((unsigned int)config->val_bits, 8);
	map->numbers_little_endian = is_little_endian(config->reg_format_endian,
		bus ? bus->reg_format_endian_default : REGMAP_ENDIAN_BIG);
	map->little_endian = is_little_endian(config->val_format_endian,
		bus ? bus->val_format_endian_default : REGMAP_ENDIAN_BIG);
	mutex_lock(&maps_lock);
	list_add_tail(&map->all, &maps);
	mutex_unlock(&maps_lock);
	return map;
}

void regmap_exit(struct regmap *map)
{
	if (map->bus && map->bus->free_context)
		map->bus->free_context(map->context);
	mutex_lock(&maps_lock);
	list_del(&map->all);
	mutex_unlock(&maps_lock);
	kfree(map);
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
		if (!found && map->dev == dev && (!name || !strcmp(name, map->config.name ?: "")))
			found = map;
	mutex_unlock(&maps_lock);
	return found;
}

struct device *regmap_get_device(struct regmap *map)
{
	return map->dev;
}

int regmap_get_val_bytes(struct regmap *map)
{
	return (int)map->val_bytes;
}

int regmap_get_max_register(struct regmap *map)
{
	return map->config.max_register ? (int)map->config.max_register : -EINVAL;
}

static int i2c_read(void *client, const void *reg, size_t reg_size, void *value, size_t n)
{
	struct i2c_client *device = client;
	struct i2c_msg messages[] = {
		{ .addr = device->addr, .len = (u16)reg_size, .buf = (u8 *)reg },
		{ .addr = device->addr, .flags = I2C_M_RD, .len = (u16)n, .buf = value },
	};
	int done = i2c_transfer(device->adapter, messages, 2);

	return done == 2 ? 0 : done < 0 ? done : -EIO;
}

static int i2c_write(void *client, const void *data, size_t n)
{
	int done = i2c_master_send(client, data, (int)n);

	return done == (int)n ? 0 : done < 0 ? done : -EIO;
}

struct regmap *regmap_init_i2c(struct i2c_client *client, const struct regmap_config *config)
{
	static const struct regmap_bus bus = { .read = i2c_read, .write = i2c_write };

	return regmap_init(&client->dev, &bus, client, config);
}

static int spi_read_register(void *spi, const void *reg, size_t reg_size, void *value, size_t n)
{
	return spi_write_then_read(spi, reg, (unsigned int)reg_size, value, (unsigned int)n);
}

static int spi_write_register(void *spi, const void *data, size_t n)
{
	return spi_write(spi, data, n);
}

struct regmap *regmap_init_spi(struct spi_device *spi, const struct regmap_config *config)
{
	static const struct regmap_bus bus = {
		.read = spi_read_register, .write = spi_write_register, .read_flag_mask = 0x80,
	};
	static const struct regmap_bus own_flag = {
		.read = spi_read_register, .write = spi_write_register,
	};

	return regmap_init(&spi->dev, config->read_flag_mask ? &own_flag : &bus, spi, config);
}

/* The context of a map over memory: its values may be of 8, 16 or 32 bits. */
struct memory_registers {
	u8 __iomem *base;
	int val_bits;
	bool little_endian;
};

static int memory_read(void *context, unsigned int reg, unsigned int *value)
{
	const struct memory_registers *memory = context;
	const u8 __iomem *from = memory->base + reg;

	if (memory->val_bits == 8)
		*value = readb(from);
	else if (memory->val_bits == 16)
		*value = memory->little_endian ? readw(from) : ioread16be(from);
	else
		*value = memory->little_endian ? readl(from) : ioread32be(from);
	return 0;
}

static int memory_write(void *context, unsigned int reg, unsigned int value)
{
	const struct memory_registers *memory = context;
	u8 __iomem *to = memory->base + reg;

	if (memory->val_bits == 8)
		writeb((u8)value, to);
	else if (memory->val_bits == 16 && memory->little_endian)
		writew((u16)value, to);
	else if (memory->val_bits == 16)
		iowrite16be((u16)value, to);
	else if (memory->little_endian)
		writel(value, to);
	else
		iowrite32be(value, to);
	return 0;
}

static void free_memory(void *context)
{
	kfree(context);
}

struct regmap *regmap_init_mmio(struct device *dev, void __iomem *base,
				const struct regmap_config *config)
{
	static const struct regmap_bus bus = {
		.reg_read = memory_read, .reg_write = memory_write, .free_context = free_memory,
	};
	struct memory_registers *memory;
	struct regmap *map;

	if (config->val_bits != 8 && config->val_bits != 16 && config->val_bits != 32)
		return ERR_PTR(-EINVAL);
	memory = kzalloc(sizeof(*memory), GFP_KERNEL);
	if (!memory)
		return ERR_PTR(-ENOMEM);
	memory->base = base;
	memory->val_bits = config->val_bits;
	memory->little_endian = is_little_endian(config->val_format_endian, REGMAP_ENDIAN_LITTLE);
	map = regmap_init(dev, &bus, memory, config);
	if (IS_ERR(map))
		kfree(memory);
	return map;
}
