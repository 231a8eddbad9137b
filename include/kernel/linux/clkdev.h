/* SPDX-License-Identifier: MIT */
/* The table in which clk_get() looks for a device's clock. */
#ifndef __CLKDEV_H
#define __CLKDEV_H

#include <linux/list.h>
#include <linux/slab.h>
#include <linux/types.h>
#include <usermm/compiler.h>

struct clk;
struct clk_hw;
struct device;

struct clk_lookup {
	struct list_head node;		/* Sync: kernel/clk/clk.c's lock */
	const char *dev_id, *con_id;	/* NULL: any */
	struct clk *clk;
	struct clk_hw *clk_hw;
	bool usermm_is_made;		/* by clkdev_create() */
};

#define CLKDEV_INIT(device, connection, clock) \
	{ .dev_id = device, .con_id = connection, .clk = clock }

USERMM_BEGIN_DECLS

void clkdev_add(struct clk_lookup *lookup) USERMM_API(clkdev_add);
/* Takes it out, and frees one that clkdev_create() made. */
void clkdev_drop(struct clk_lookup *lookup) USERMM_API(clkdev_drop);
/* dev_id is a format. NULL without memory. */
__attribute__((format(printf, 3, 4)))
struct clk_lookup *clkdev_create(struct clk *clk, const char *con_id, const char *dev_id, ...)
	USERMM_API(clkdev_create);
__attribute__((format(printf, 3, 4)))
struct clk_lookup *clkdev_hw_create(struct clk_hw *hw, const char *con_id, const char *dev_id, ...)
	USERMM_API(clkdev_hw_create);
/* As clkdev_create(); an error pointer for a clock is the result. dev_id may be NULL. */
int clk_register_clkdev(struct clk *clk, const char *con_id, const char *dev_id)
	USERMM_API(clk_register_clkdev);
int clk_hw_register_clkdev(struct clk_hw *hw, const char *con_id, const char *dev_id)
	USERMM_API(clk_hw_register_clkdev);
int devm_clk_hw_register_clkdev(struct device *dev, struct clk_hw *hw, const char *con_id,
				const char *dev_id) USERMM_API(devm_clk_hw_register_clkdev);

USERMM_END_DECLS

#endif
