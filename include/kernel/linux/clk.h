/* SPDX-License-Identifier: MIT */
/* As without CONFIG_HAVE_CLK: each clock is NULL, and calls on it succeed. */
#ifndef __LINUX_CLK_H
#define __LINUX_CLK_H

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/notifier.h>
#include <linux/random.h>
#include <linux/signal.h>

struct clk;
struct device;

#define clk_get(dev, name) ((void)(dev), (void)(name), (struct clk *)NULL)
#define devm_clk_get(dev, name) clk_get(dev, name)
#define devm_clk_get_optional(dev, name) clk_get(dev, name)
#define devm_clk_get_enabled(dev, name) clk_get(dev, name)
#define of_clk_get(node, index) clk_get(node, index)
#define of_clk_get_by_name(node, name) clk_get(node, name)
#define clk_put(clk) ((void)(clk))
#define devm_clk_put(dev, clk) ((void)(dev), (void)(clk))
#define clk_prepare(clk) ((void)(clk), 0)
#define clk_unprepare(clk) ((void)(clk))
#define clk_enable(clk) ((void)(clk), 0)
#define clk_disable(clk) ((void)(clk))
#define clk_prepare_enable(clk) ((void)(clk), 0)
#define clk_disable_unprepare(clk) ((void)(clk))
#define clk_get_rate(clk) ((void)(clk), 0UL)
#define clk_set_rate(clk, rate) ((void)(clk), (void)(rate), 0)
#define clk_round_rate(clk, rate) ((void)(clk), (void)(rate), 0L)
#define clk_set_parent(clk, parent) ((void)(clk), (void)(parent), 0)

#endif
