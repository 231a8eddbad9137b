// SPDX-License-Identifier: MIT
/*
 * Rates. A new rate is planned first, upwards as far as parents may change theirs; then all who are
 * concerned are asked; then the clocks change, from the top down. cf. Linux drivers/clk/clk.c.
 */
#include <linux/err.h>
#include <linux/kernel.h>

#include "clk.h"

static unsigned long computed(const struct clk_core *core, unsigned long parent_rate)
{
	return core->ops->recalc_rate ? core->ops->recalc_rate(core->hw, parent_rate) : parent_rate;
}

static unsigned long parent_rate_of(const struct clk_core *core)
{
	return core->parent ? core->parent->rate : 0;
}

static int tell(struct clk_core *core, unsigned long event, unsigned long old_rate,
		unsigned long new_rate)
{
	struct clk_notifier_data data = {
		.clk = core->hw ? core->hw->clk : NULL, .old_rate = old_rate, .new_rate = new_rate,
	};

	return blocking_notifier_call_chain(&core->notifiers, event, &data);
}

void clk_update_rates(struct clk_core *core, unsigned long event)
{
	unsigned long old = core->rate;
	struct clk_core *child;

	core->rate = computed(core, parent_rate_of(core));
	if (event && old != core->rate)
		tell(core, event, old, core->rate);
	list_for_each_entry(child, &core->children, sibling)
		clk_update_rates(child, event);
}

unsigned long clk_core_rate(struct clk_core *core)
{
	if (core->flags & CLK_GET_RATE_NOCACHE)
		clk_update_rates(core, 0);
	return !core->num_parents || core->parent ? core->rate : 0;
}

static bool can_choose(const struct clk_core *core)
{
	return core->ops->determine_rate || core->ops->round_rate;
}

/* Asks the clock's own operations. 0 or -errno. */
static int choose(struct clk_core *core, struct clk_rate_request *request)
{
	long rounded;

	if (core->ops->determine_rate)
		return core->ops->determine_rate(core->hw, request);
	rounded = core->ops->round_rate(core->hw, request->rate, &request->best_parent_rate);
	if (rounded < 0)
		return (int)rounded;
	request->rate = (unsigned long)rounded;
	return 0;
}

static struct clk_rate_request request_for(const struct clk_core *core, unsigned long rate)
{
	return (struct clk_rate_request){
		.rate = rate, .max_rate = ULONG_MAX, .best_parent_rate = parent_rate_of(core),
		.best_parent_hw = core->parent ? core->parent->hw : NULL,
	};
}

long clk_core_round(struct clk_core *core, unsigned long rate)
{
	struct clk_rate_request request = request_for(core, rate);
	int error;

	if (can_choose(core)) {
		error = choose(core, &request);
		return error ? error : (long)request.rate;
	}
	if (core->parent && core->flags & CLK_SET_RATE_PARENT)
		return clk_core_round(core->parent, rate);
	return (long)core->rate;
}

unsigned long clk_hw_round_rate(struct clk_hw *hw, unsigned long rate)
{
	long rounded = clk_core_round(hw->core, rate);

	return rounded < 0 ? 0 : (unsigned long)rounded;
}

/* What the clocks below will have. */
static void plan_below(struct clk_core *core, unsigned long rate)
{
	struct clk_core *child;

	core->new_rate = rate;
	list_for_each_entry(child, &core->children, sibling) {
		if (child == core->new_child)
			continue;
		child->new_parent = NULL;
		child->new_child = NULL;
		plan_below(child, computed(child, rate));
	}
}

/* Plans the clock's rate. Returns the topmost clock that changes; NULL: it is not possible. */
static struct clk_core *plan(struct clk_core *core, unsigned long rate, struct clk_core *below)
{
	struct clk_rate_request request = request_for(core, rate);
	struct clk_core *parent = core->parent, *top = core;
	int index = 0;

	core->new_child = below;
	core->new_parent = NULL;
	if (can_choose(core)) {
		if (choose(core, &request))
			return NULL;
		parent = request.best_parent_hw ? request.best_parent_hw->core : NULL;
	} else if (!parent || !(core->flags & CLK_SET_RATE_PARENT)) {
		return NULL;		/* its rate is what it is */
	} else {
		request.best_parent_rate = rate;
	}
	if (parent != core->parent) {
		index = clk_parent_index(core, parent);
		if (index < 0 || (core->flags & CLK_SET_PARENT_GATE && core->prepare_count))
			return NULL;
		core->new_parent = parent;
		core->new_index = (u8)index;
	}
	if (core->flags & CLK_SET_RATE_PARENT && parent &&
	    request.best_parent_rate != parent->rate) {
		top = plan(parent, request.best_parent_rate, core);
		if (top && !can_choose(core))
			request.rate = parent->new_rate;
	}
	if (top)
		plan_below(core, request.rate);
	return top;
}

/* Do all agree? 0, or what the first said who does not. */
static int ask(struct clk_core *core, unsigned long event)
{
	struct clk_core *child;
	int answer;

	if (core->rate != core->new_rate) {
		answer = tell(core, event, core->rate, core->new_rate);
		if (answer & NOTIFY_STOP_MASK)
			return answer;
	}
	list_for_each_entry(child, &core->children, sibling) {
		if (child->new_parent && child->new_parent != core)
			continue;
		answer = ask(child, event);
		if (answer)
			return answer;
	}
	/* A clock that comes here is not among the children yet. */
	if (core->new_child && core->new_child->new_parent == core)
		return ask(core->new_child, event);
	return 0;
}

static void change(struct clk_core *core)
{
	unsigned long old = core->rate, parent_rate;
	struct clk_core *child, *next, *new_parent = core->new_parent;
	bool sets_both = new_parent && core->ops->set_rate_and_parent;

	parent_rate = new_parent ? new_parent->rate : parent_rate_of(core);
	if (sets_both && !core->prepare_count) {
		core->ops->set_rate_and_parent(core->hw, core->new_rate, parent_rate,
					       core->new_index);
		clk_reparent(core, new_parent);
	} else {
		sets_both = false;
		if (new_parent)
			clk_switch_parent(core, new_parent, core->new_index);
	}
	core->new_parent = NULL;
	if (!sets_both && core->ops->set_rate)
		core->ops->set_rate(core->hw, core->new_rate, parent_rate);
	core->rate = computed(core, parent_rate_of(core));
	if (old != core->rate)
		tell(core, POST_RATE_CHANGE, old, core->rate);
	list_for_each_entry_safe(child, next, &core->children, sibling) {
		if (child == core->new_child || (child->new_parent && child->new_parent != core))
			continue;
		change(child);
	}
	child = core->new_child;
	core->new_child = NULL;
	if (child)
		change(child);
}

static bool has_set_gate(const struct clk_core *core)
{
	return core->flags & CLK_SET_RATE_GATE && core->prepare_count;
}

static int set_rate(struct clk_core *core, unsigned long rate)
{
	long rounded = clk_core_round(core, rate);
	struct clk_core *top;

	if (rounded >= 0 && (unsigned long)rounded == clk_core_rate(core))
		return 0;
	if (has_set_gate(core))
		return -EBUSY;
	top = plan(core, rate, NULL);
	if (!top)
		return -EINVAL;
	if (ask(top, PRE_RATE_CHANGE)) {
		pr_debug("%s: failed to set %s rate\n", __func__, core->name);
		ask(top, ABORT_RATE_CHANGE);
		return -EBUSY;
	}
	change(top);
	return 0;
}

int clk_set_rate(struct clk *clk, unsigned long rate)
{
	int error;

	if (!clk)
		return 0;
	clk_lock();
	error = set_rate(clk->core, rate);
	clk_unlock();
	return error;
}

long clk_round_rate(struct clk *clk, unsigned long rate)
{
	long rounded;

	if (!clk)
		return 0;
	clk_lock();
	rounded = clk_core_round(clk->core, rate);
	clk_unlock();
	return rounded;
}

unsigned long clk_get_rate(struct clk *clk)
{
	unsigned long rate;

	if (IS_ERR_OR_NULL(clk))
		return 0;
	clk_lock();
	rate = clk_core_rate(clk->core);
	clk_unlock();
	return rate;
}
