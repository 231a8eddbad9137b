/* SPDX-License-Identifier: MIT */
/* What the files of kernel/clk know of one another. */
#ifndef KERNEL_CLK_CLK_H
#define KERNEL_CLK_CLK_H

#include <linux/clk-provider.h>
#include <linux/kref.h>
#include <linux/list.h>

/* A clock. Sync: clk_lock(), except what is said. */
struct clk_core {
	struct list_head list;		/* of all clocks */
	struct list_head children, sibling;
	struct clk_core *parent;	/* NULL: none, or it is not registered yet */
	struct clk_core *new_parent;	/* while a rate is changed */
	struct clk_core *new_child;	/* below it the change goes on */
	const char *name;
	const struct clk_ops *ops;
	struct clk_hw *hw;		/* NULL after the end of the registration */
	char **parent_names;		/* NULL for a parent that is known by its clk_hw */
	const struct clk_hw **parent_hws;
	u8 num_parents, new_index;
	unsigned long flags, rate, new_rate;
	unsigned int prepare_count;
	unsigned int enable_count;	/* Sync: clk.c's spin lock */
	struct blocking_notifier_head notifiers;
	struct kref users;		/* the registration, and each struct clk */
};

/* A clock's user. */
struct clk {
	struct clk_core *core;
};

/* A mutex that its owner may take again, because operations may call clk_*(). */
void clk_lock(void);
void clk_unlock(void);
/* A new user; an error pointer without memory. */
struct clk *clk_user(struct clk_core *core);
struct clk_core *clk_parent_at(const struct clk_core *core, unsigned int index);
/* Which of the clock's parents this is, or -EINVAL. */
int clk_parent_index(const struct clk_core *core, const struct clk_core *parent);
void clk_reparent(struct clk_core *core, struct clk_core *parent);
/* Prepares and enables the new parent as its child is, switches, and lets the old one go. */
int clk_switch_parent(struct clk_core *core, struct clk_core *parent, unsigned int index);

/* rates.c, with clk_lock() held */
unsigned long clk_core_rate(struct clk_core *core);
/* Computes the rate anew, and those below; event: 0, or what the notifiers are told. */
void clk_update_rates(struct clk_core *core, unsigned long event);
long clk_core_round(struct clk_core *core, unsigned long rate);

#endif
