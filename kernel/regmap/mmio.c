// SPDX-License-Identifier: MIT
/* Maps over memory, whose values have 8, 16 or 32 bits. */
#include <linux/clk.h>
#include <linux/io.h>
#include <linux/slab.h>
#include "regmap.h"

struct memory {
	u8 __iomem *base;
	unsigned int val_bytes;
	bool little_endian;
	struct clk *clk;		/* prepared; runs during accesses. NULL */
	bool clk_is_ours;
};

static unsigned int read_value(const struct memory *memory, unsigned int reg)
{
	const u8 __iomem *from = memory->base + reg;

	if (memory->val_bytes == 1)
		return readb(from);
	if (memory->val_bytes == 2)
		return memory->little_endian ? readw(from) : ioread16be(from);
	return memory->little_endian ? readl(from) : ioread32be(from);
}

static void write_value(const struct memory *memory, unsigned int reg, unsigned int value)
{
	u8 __iomem *to = memory->base + reg;

	if (memory->val_bytes == 1)
		writeb((u8)value, to);
	else if (memory->val_bytes == 2 && memory->little_endian)
		writew((u16)value, to);
	else if (memory->val_bytes == 2)
		iowrite16be((u16)value, to);
	else if (memory->little_endian)
		writel(value, to);
	else
		iowrite32be(value, to);
}

static int begin(const struct memory *memory)
{
	return memory->clk ? clk_enable(memory->clk) : 0;
}

static void end(const struct memory *memory)
{
	if (memory->clk)
		clk_disable(memory->clk);
}

static int memory_read(void *context, unsigned int reg, unsigned int *value)
{
	int error = begin(context);

	if (error)
		return error;
	*value = read_value(context, reg);
	end(context);
	return 0;
}

static int memory_write(void *context, unsigned int reg, unsigned int value)
{
	int error = begin(context);

	if (error)
		return error;
	write_value(context, reg, value);
	end(context);
	return 0;
}

/* Values of a queue are integers in the caller's memory. */
static int memory_read_queue(void *context, unsigned int reg, void *values, size_t n)
{
	const struct memory *memory = context;
	int error = begin(memory);

	if (error)
		return error;
	for (size_t i = 0; i < n; i++) {
		unsigned int value = read_value(memory, reg);

		if (memory->val_bytes == 1)
			((u8 *)values)[i] = (u8)value;
		else if (memory->val_bytes == 2)
			((u16 *)values)[i] = (u16)value;
		else
			((u32 *)values)[i] = value;
	}
	end(memory);
	return 0;
}

static int memory_write_queue(void *context, unsigned int reg, const void *values, size_t n)
{
	const struct memory *memory = context;
	int error = begin(memory);

	if (error)
		return error;
	for (size_t i = 0; i < n; i++)
		write_value(memory, reg, memory->val_bytes == 1 ? ((const u8 *)values)[i] :
			    memory->val_bytes == 2 ? ((const u16 *)values)[i] :
			    ((const u32 *)values)[i]);
	end(memory);
	return 0;
}

static void forget_clk(struct memory *memory)
{
	if (!memory->clk)
		return;
	clk_unprepare(memory->clk);
	if (memory->clk_is_ours)
		clk_put(memory->clk);
	memory->clk = NULL;
}

static void free_memory(void *context)
{
	forget_clk(context);
	kfree(context);
}

static const struct regmap_bus bus = {
	.fast_io = true,
	.reg_read = memory_read, .reg_write = memory_write,
	.reg_noinc_read = memory_read_queue, .reg_noinc_write = memory_write_queue,
	.free_context = free_memory,
	.val_format_endian_default = REGMAP_ENDIAN_LITTLE,
};

static bool is_possible(const struct regmap_config *config)
{
	const int least_stride = config->val_bits == 8 ? 0 : config->val_bits / 8;

	return (config->val_bits == 8 || config->val_bits == 16 || config->val_bits == 32) &&
	       (config->reg_bits == 8 || config->reg_bits == 16 || config->reg_bits == 32) &&
	       !config->pad_bits && !(config->use_relaxed_mmio && config->io_port) &&
	       (!config->reg_stride || config->reg_stride >= least_stride);
}

/* clk_id: its name, or NULL for none. */
static int find_clk(struct memory *memory, struct device *dev, const char *clk_id)
{
	int error;

	if (!clk_id)
		return 0;
	memory->clk = clk_get(dev, clk_id);
	if (IS_ERR(memory->clk))
		return PTR_ERR(memory->clk);
	memory->clk_is_ours = true;
	error = clk_prepare(memory->clk);
	if (error)
		clk_put(memory->clk);
	return error;
}

struct regmap *regmap_init_mmio_clk(struct device *dev, const char *clk_id, void __iomem *base,
				    const struct regmap_config *config)
{
	struct memory *memory;
	struct regmap *map;
	int error;

	if (!is_possible(config))
		return ERR_PTR(-EINVAL);
	memory = kzalloc(sizeof(*memory), GFP_KERNEL);
	if (!memory)
		return ERR_PTR(-ENOMEM);
	memory->base = base;
	memory->val_bytes = (unsigned int)config->val_bits / 8;
	memory->little_endian = regmap_is_little_endian(config->val_format_endian,
							REGMAP_ENDIAN_LITTLE);
	error = find_clk(memory, dev, clk_id);
	if (error) {
		kfree(memory);
		return ERR_PTR(error);
	}
	map = regmap_init(dev, &bus, memory, config);
	if (IS_ERR(map))
		free_memory(memory);
	return map;
}

int regmap_mmio_attach_clk(struct regmap *map, struct clk *clk)
{
	struct memory *memory = map->context;
	int error = clk_prepare(clk);

	if (error)
		return error;
	memory->clk = clk;
	memory->clk_is_ours = false;
	return 0;
}

void regmap_mmio_detach_clk(struct regmap *map)
{
	forget_clk(map->context);
}
