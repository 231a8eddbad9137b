/* SPDX-License-Identifier: MIT */
/* Which line of which chip is a device's: tables for gpiod_get(). */
#ifndef __LINUX_GPIO_MACHINE_H
#define __LINUX_GPIO_MACHINE_H

#include <linux/list.h>
#include <linux/types.h>
#include <usermm/compiler.h>

enum gpio_lookup_flags { GPIO_ACTIVE_HIGH = 0, GPIO_ACTIVE_LOW = 1, GPIO_OPEN_DRAIN = 2,
			 GPIO_OPEN_SOURCE = 4, GPIO_PERSISTENT = 0, GPIO_TRANSITORY = 8,
			 GPIO_PULL_UP = 16, GPIO_PULL_DOWN = 32, GPIO_LOOKUP_FLAGS_DEFAULT = 0 };

struct gpiod_lookup {
	const char *key;	/* the chip's label; NULL ends the table */
	u16 chip_hwnum;
	const char *con_id;
	unsigned int idx;
	unsigned long flags;
};

struct gpiod_lookup_table {
	struct list_head list;
	const char *dev_id;
	struct gpiod_lookup table[];
};

struct gpiod_hog {
	struct list_head list;
	const char *chip_label;
	u16 chip_hwnum;
	const char *line_name;
	unsigned long lflags;
	int dflags;
};

#define GPIO_LOOKUP(chip, number, name, _flags) GPIO_LOOKUP_IDX(chip, number, name, 0, _flags)
#define GPIO_LOOKUP_IDX(chip, number, name, index, _flags)			\
	(struct gpiod_lookup){ .key = (chip), .chip_hwnum = (number), .con_id = (name), \
			       .idx = (index), .flags = (_flags) }
#define GPIO_LOOKUP_SINGLE(variable, device, chip, number, name, _flags)	\
	static struct gpiod_lookup_table variable = {				\
		.dev_id = (device),						\
		.table = { GPIO_LOOKUP(chip, number, name, _flags), {} },	\
	}

/* Nobody keeps the tables. So no line is found, as if the chip had not been added yet. */
#define gpiod_add_lookup_table(table) ((void)(table))
#define gpiod_add_lookup_tables(tables, n) ((void)(tables), (void)(n))
#define gpiod_remove_lookup_table(table) ((void)(table))
#define gpiod_add_hogs(hogs) ((void)(hogs))
#define gpiod_remove_hogs(hogs) ((void)(hogs))

#endif
