// SPDX-License-Identifier: MIT
/* Maps over devices of SPI: a number with its highest bit set asks for a value. */
#include <linux/spi/spi.h>
#include "regmap.h"

static int read_values(void *spi, const void *reg, size_t reg_size, void *value, size_t n)
{
	return spi_write_then_read(spi, reg, (unsigned int)reg_size, value, (unsigned int)n);
}

static int write_values(void *spi, const void *data, size_t n)
{
	return spi_write(spi, data, n);
}

static int gather_values(void *spi, const void *reg, size_t reg_size, const void *values, size_t n)
{
	struct spi_transfer transfers[] = {
		{ .tx_buf = reg, .len = (unsigned int)reg_size },
		{ .tx_buf = values, .len = (unsigned int)n },
	};

	return spi_sync_transfer(spi, transfers, 2);
}

struct regmap *regmap_init_spi(struct spi_device *spi, const struct regmap_config *config)
{
	static const struct regmap_bus bus = {
		.read = read_values, .write = write_values, .gather_write = gather_values,
		.read_flag_mask = 0x80,
	};

	return regmap_init(&spi->dev, &bus, spi, config);
}
