/* SPDX-License-Identifier: MIT */
/*
 * Clocks, for those who use them. A module that provides clocks (clk-provider.h) names them in
 * clkdev.h's table, and clk_get() finds them there. As long as nothing is in the table, each clock
 * is NULL, and calls on it succeed, as without CONFIG_HAVE_CLK.
 */
#ifndef __LINUX_CLK_H
#define __LINUX_CLK_H

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/notifier.h>
#include <linux/random.h>
#include <linux/signal.h>
#include <usermm/compiler.h>

struct clk;
struct device;
struct device_node;

#define PRE_RATE_CHANGE BIT(0)
#define POST_RATE_CHANGE BIT(1)
#define ABORT_RATE_CHANGE BIT(2)

struct clk_notifier_data {
	struct clk *clk;
	unsigned long old_rate, new_rate;
};

struct clk_bulk_data {
	const char *id;
	struct clk *clk;
};

USERMM_BEGIN_DECLS

/* A clock's user: clk_put() ends it. NULL or an error pointer, see above. */
struct clk *clk_get(struct device *dev, const char *id) USERMM_API(clk_get);
/* The user's clock by the names of the table, for one that has no device. */
struct clk *clk_get_sys(const char *dev_id, const char *con_id) USERMM_API(clk_get_sys);
void clk_put(struct clk *clk) USERMM_API(clk_put);
struct clk *devm_clk_get(struct device *dev, const char *id) USERMM_API(devm_clk_get);
struct clk *devm_clk_get_optional(struct device *dev, const char *id)
	USERMM_API(devm_clk_get_optional);
/* Prepared and enabled until the device goes. */
struct clk *devm_clk_get_enabled(struct device *dev, const char *id)
	USERMM_API(devm_clk_get_enabled);
struct clk *devm_clk_get_prepared(struct device *dev, const char *id)
	USERMM_API(devm_clk_get_prepared);
void devm_clk_put(struct device *dev, struct clk *clk) USERMM_API(devm_clk_put);

/* Each is counted, and reaches the parents first. 0 or -errno. NULL: 0. */
int clk_prepare(struct clk *clk) USERMM_API(clk_prepare);
void clk_unprepare(struct clk *clk) USERMM_API(clk_unprepare);
int clk_enable(struct clk *clk) USERMM_API(clk_enable);
void clk_disable(struct clk *clk) USERMM_API(clk_disable);

unsigned long clk_get_rate(struct clk *clk) USERMM_API(clk_get_rate);
/* The rate that clk_set_rate() would give, or -errno. */
long clk_round_rate(struct clk *clk, unsigned long rate) USERMM_API(clk_round_rate);
int clk_set_rate(struct clk *clk, unsigned long rate) USERMM_API(clk_set_rate);
struct clk *clk_get_parent(struct clk *clk) USERMM_API(clk_get_parent);
int clk_set_parent(struct clk *clk, struct clk *parent) USERMM_API(clk_set_parent);
bool clk_has_parent(const struct clk *clk, const struct clk *parent) USERMM_API(clk_has_parent);
bool clk_is_match(const struct clk *one, const struct clk *other) USERMM_API(clk_is_match);
/* PRE_RATE_CHANGE may refuse a change by NOTIFY_BAD. */
int clk_notifier_register(struct clk *clk, struct notifier_block *block)
	USERMM_API(clk_notifier_register);
int clk_notifier_unregister(struct clk *clk, struct notifier_block *block)
	USERMM_API(clk_notifier_unregister);

USERMM_END_DECLS

/* No device tree names a clock. */
#define of_clk_get(node, index) ((void)(node), (void)(index), (struct clk *)ERR_PTR(-ENOENT))
#define of_clk_get_by_name(node, name) of_clk_get(node, name)

static inline int clk_prepare_enable(struct clk *clk)
{
	int error = clk_prepare(clk);

	if (error)
		return error;
	error = clk_enable(clk);
	if (error)
		clk_unprepare(clk);
	return error;
}

static inline void clk_disable_unprepare(struct clk *clk)
{
	clk_disable(clk);
	clk_unprepare(clk);
}

static inline struct clk *clk_get_optional(struct device *dev, const char *id)
{
	struct clk *clk = clk_get(dev, id);

	return clk == ERR_PTR(-ENOENT) ? NULL : clk;
}

static inline void clk_bulk_put(int n, struct clk_bulk_data *clks)
{
	while (n--) {
		clk_put(clks[n].clk);
		clks[n].clk = NULL;
	}
}

static inline int clk_bulk_get(struct device *dev, int n, struct clk_bulk_data *clks)
{
	for (int i = 0; i < n; i++) {
		clks[i].clk = clk_get(dev, clks[i].id);
		if (IS_ERR(clks[i].clk)) {
			int error = (int)PTR_ERR(clks[i].clk);

			clks[i].clk = NULL;
			clk_bulk_put(i, clks);
			return error;
		}
	}
	return 0;
}

static inline void clk_bulk_disable_unprepare(int n, const struct clk_bulk_data *clks)
{
	while (n--)
		clk_disable_unprepare(clks[n].clk);
}

static inline int clk_bulk_prepare_enable(int n, const struct clk_bulk_data *clks)
{
	for (int i = 0; i < n; i++) {
		int error = clk_prepare_enable(clks[i].clk);

		if (error) {
			clk_bulk_disable_unprepare(i, clks);
			return error;
		}
	}
	return 0;
}

#endif
