// SPDX-License-Identifier: MIT
/* Which device has which clock: see linux/clkdev.h. cf. Linux drivers/clk/clkdev.c. */
#include <linux/clkdev.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "clk.h"

static LIST_HEAD(lookups);		/* Sync: clk_lock() */
static bool are_known;			/* something was in the table. Sync: clk_lock() */

/* An entry of ours, with its texts. */
struct made_lookup {
	struct clk_lookup lookup;
	char *dev_id, *con_id;
};

/* How well the entry fits: both names count, that of the device more; 0: not at all. */
static int match(const struct clk_lookup *lookup, const char *dev_id, const char *con_id)
{
	int points = 1;

	if (lookup->dev_id) {
		if (!dev_id || strcmp(lookup->dev_id, dev_id))
			return 0;
		points += 2;
	}
	if (lookup->con_id) {
		if (!con_id || strcmp(lookup->con_id, con_id))
			return 0;
		points++;
	}
	return points;
}

static struct clk *find(const char *dev_id, const char *con_id)
{
	const struct clk_lookup *best = NULL;
	struct clk_lookup *lookup;
	int most = 0;

	list_for_each_entry(lookup, &lookups, node) {
		int points = match(lookup, dev_id, con_id);

		if (points > most) {
			most = points;
			best = lookup;
		}
	}
	if (!best)
		return are_known ? ERR_PTR(-ENOENT) : NULL;
	if (best->clk_hw)
		return best->clk_hw->core ? clk_user(best->clk_hw->core) : ERR_PTR(-ENOENT);
	return best->clk ? clk_user(best->clk->core) : ERR_PTR(-ENOENT);
}

struct clk *clk_get_sys(const char *dev_id, const char *con_id)
{
	struct clk *clk;

	clk_lock();
	clk = find(dev_id, con_id);
	clk_unlock();
	return clk;
}

struct clk *clk_get(struct device *dev, const char *id)
{
	return clk_get_sys(dev ? dev_name(dev) : NULL, id);
}

void clkdev_add(struct clk_lookup *lookup)
{
	clk_lock();
	list_add_tail(&lookup->node, &lookups);
	are_known = true;
	clk_unlock();
}

static struct clk_lookup *create(struct clk_hw *hw, const char *con_id, const char *format,
				 va_list args)
{
	struct made_lookup *made = kzalloc(sizeof(*made), GFP_KERNEL);

	if (!made)
		return NULL;
	made->con_id = con_id ? kstrdup(con_id, GFP_KERNEL) : NULL;
	made->dev_id = format ? kvasprintf(GFP_KERNEL, format, args) : NULL;
	if ((con_id && !made->con_id) || (format && !made->dev_id)) {
		kfree(made->con_id);
		kfree(made->dev_id);
		kfree(made);
		return NULL;
	}
	made->lookup.con_id = made->con_id;
	made->lookup.dev_id = made->dev_id;
	made->lookup.clk_hw = hw;
	made->lookup.usermm_is_made = true;
	clkdev_add(&made->lookup);
	return &made->lookup;
}

void clkdev_drop(struct clk_lookup *lookup)
{
	struct made_lookup *made = container_of(lookup, struct made_lookup, lookup);

	clk_lock();
	list_del_init(&lookup->node);
	clk_unlock();
	if (!lookup->usermm_is_made)
		return;
	kfree(made->con_id);
	kfree(made->dev_id);
	kfree(made);
}

struct clk_lookup *clkdev_hw_create(struct clk_hw *hw, const char *con_id, const char *dev_id, ...)
{
	struct clk_lookup *lookup;
	va_list args;

	va_start(args, dev_id);
	lookup = create(hw, con_id, dev_id, args);
	va_end(args);
	return lookup;
}

struct clk_lookup *clkdev_create(struct clk *clk, const char *con_id, const char *dev_id, ...)
{
	struct clk_lookup *lookup;
	va_list args;

	va_start(args, dev_id);
	lookup = create(clk->core->hw, con_id, dev_id, args);
	va_end(args);
	return lookup;
}

static struct clk_lookup *create_named(struct clk_hw *hw, const char *con_id, const char *dev_id)
{
	return dev_id ? clkdev_hw_create(hw, con_id, "%s", dev_id) :
			clkdev_hw_create(hw, con_id, NULL);
}

int clk_hw_register_clkdev(struct clk_hw *hw, const char *con_id, const char *dev_id)
{
	if (IS_ERR(hw))
		return (int)PTR_ERR(hw);
	return create_named(hw, con_id, dev_id) ? 0 : -ENOMEM;
}

int clk_register_clkdev(struct clk *clk, const char *con_id, const char *dev_id)
{
	if (IS_ERR(clk))
		return (int)PTR_ERR(clk);
	return clk_hw_register_clkdev(clk->core->hw, con_id, dev_id);
}

static void drop(void *lookup)
{
	clkdev_drop(lookup);
}

int devm_clk_hw_register_clkdev(struct device *dev, struct clk_hw *hw, const char *con_id,
				const char *dev_id)
{
	struct clk_lookup *lookup;

	if (IS_ERR(hw))
		return (int)PTR_ERR(hw);
	lookup = create_named(hw, con_id, dev_id);
	return lookup ? devm_add_action_or_reset(dev, drop, lookup) : -ENOMEM;
}

/* What goes with a device. */

static void put(void *clk)
{
	clk_put(clk);
}

struct clk *devm_clk_get(struct device *dev, const char *id)
{
	struct clk *clk = clk_get(dev, id);
	int error;

	if (IS_ERR_OR_NULL(clk))
		return clk;
	error = devm_add_action_or_reset(dev, put, clk);
	return error ? ERR_PTR(error) : clk;
}

struct clk *devm_clk_get_optional(struct device *dev, const char *id)
{
	struct clk *clk = devm_clk_get(dev, id);

	return clk == ERR_PTR(-ENOENT) ? NULL : clk;
}

static void unprepare(void *clk)
{
	clk_unprepare(clk);
}

static void disable(void *clk)
{
	clk_disable(clk);
}

struct clk *devm_clk_get_prepared(struct device *dev, const char *id)
{
	struct clk *clk = devm_clk_get(dev, id);
	int error;

	if (IS_ERR_OR_NULL(clk))
		return clk;
	error = clk_prepare(clk) ?: devm_add_action_or_reset(dev, unprepare, clk);
	return error ? ERR_PTR(error) : clk;
}

struct clk *devm_clk_get_enabled(struct device *dev, const char *id)
{
	struct clk *clk = devm_clk_get_prepared(dev, id);
	int error;

	if (IS_ERR_OR_NULL(clk))
		return clk;
	error = clk_enable(clk) ?: devm_add_action_or_reset(dev, disable, clk);
	return error ? ERR_PTR(error) : clk;
}

void devm_clk_put(struct device *dev, struct clk *clk)
{
	if (!IS_ERR_OR_NULL(clk))
		devm_release_action(dev, put, clk);
}
