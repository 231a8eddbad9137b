// SPDX-License-Identifier: MIT
/*
 * Clocks: see linux/clk-provider.h. A clock has users (struct clk); what they prepare and enable is
 * counted in the clock and in those above it. cf. Linux drivers/clk/clk.c.
 */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "clk.h"

static DEFINE_MUTEX(mutex);
static struct task_struct *owner;	/* of the mutex. Sync: atomic */
static unsigned int depth;		/* Sync: mutex */
static DEFINE_SPINLOCK(enable_lock);
static LIST_HEAD(clocks);		/* Sync: mutex */

void clk_lock(void)
{
	if (READ_ONCE(owner) != current) {
		mutex_lock(&mutex);
		WRITE_ONCE(owner, current);
	}
	depth++;
}

void clk_unlock(void)
{
	if (--depth)
		return;
	WRITE_ONCE(owner, NULL);
	mutex_unlock(&mutex);
}

/* Clocks whose provider is gone. */
static int refuse(struct clk_hw *hw)
{
	(void)hw;
	return -ENXIO;
}

static const struct clk_ops gone_ops = { .prepare = refuse, .enable = refuse };

static void free_core(struct kref *users)
{
	struct clk_core *core = container_of(users, struct clk_core, users);

	for (unsigned int i = 0; core->parent_names && i < core->num_parents; i++)
		kfree(core->parent_names[i]);
	kfree(core->parent_names);
	kfree(core->parent_hws);
	kfree(core->name);
	kfree(core);
}

struct clk *clk_user(struct clk_core *core)
{
	struct clk *clk = kzalloc(sizeof(*clk), GFP_KERNEL);

	if (!clk)
		return ERR_PTR(-ENOMEM);
	kref_get(&core->users);
	clk->core = core;
	return clk;
}

void clk_put(struct clk *clk)
{
	if (IS_ERR_OR_NULL(clk))
		return;
	clk_lock();
	kref_put(&clk->core->users, free_core);
	clk_unlock();
	kfree(clk);
}

static struct clk_core *find(const char *name)
{
	struct clk_core *core;

	list_for_each_entry(core, &clocks, list)
		if (!strcmp(core->name, name))
			return core;
	return NULL;
}

struct clk_core *clk_parent_at(const struct clk_core *core, unsigned int index)
{
	if (index >= core->num_parents)
		return NULL;
	if (core->parent_hws[index])
		return core->parent_hws[index]->core;
	return core->parent_names[index] ? find(core->parent_names[index]) : NULL;
}

int clk_parent_index(const struct clk_core *core, const struct clk_core *parent)
{
	for (unsigned int i = 0; parent && i < core->num_parents; i++)
		if (clk_parent_at(core, i) == parent)
			return (int)i;
	return -EINVAL;
}

void clk_reparent(struct clk_core *core, struct clk_core *parent)
{
	list_del_init(&core->sibling);
	core->parent = parent;
	if (parent)
		list_add_tail(&core->sibling, &parent->children);
}

/* Prepared and enabled: parents first. */

static void unprepare(struct clk_core *core)
{
	if (!core || WARN(!core->prepare_count, "%s already unprepared\n", core->name))
		return;
	if (--core->prepare_count)
		return;
	if (core->ops->unprepare)
		core->ops->unprepare(core->hw);
	unprepare(core->parent);
}

static int prepare(struct clk_core *core)
{
	int error;

	if (!core)
		return 0;
	if (!core->prepare_count) {
		error = prepare(core->parent);
		if (error)
			return error;
		error = core->ops->prepare ? core->ops->prepare(core->hw) : 0;
		if (error) {
			unprepare(core->parent);
			return error;
		}
	}
	core->prepare_count++;
	return 0;
}

static void disable(struct clk_core *core)
{
	if (!core || WARN(!core->enable_count, "%s already disabled\n", core->name))
		return;
	if (--core->enable_count)
		return;
	if (core->ops->disable)
		core->ops->disable(core->hw);
	disable(core->parent);
}

static int enable(struct clk_core *core)
{
	int error;

	if (!core)
		return 0;
	if (WARN(!core->prepare_count, "Enabling unprepared %s\n", core->name))
		return -ESHUTDOWN;
	if (!core->enable_count) {
		error = enable(core->parent);
		if (error)
			return error;
		error = core->ops->enable ? core->ops->enable(core->hw) : 0;
		if (error) {
			disable(core->parent);
			return error;
		}
	}
	core->enable_count++;
	return 0;
}

static int enable_locked(struct clk_core *core)
{
	unsigned long flags;
	int error;

	spin_lock_irqsave(&enable_lock, flags);
	error = enable(core);
	spin_unlock_irqrestore(&enable_lock, flags);
	return error;
}

static void disable_locked(struct clk_core *core)
{
	unsigned long flags;

	spin_lock_irqsave(&enable_lock, flags);
	disable(core);
	spin_unlock_irqrestore(&enable_lock, flags);
}

int clk_prepare(struct clk *clk)
{
	int error;

	if (!clk)
		return 0;
	clk_lock();
	error = prepare(clk->core);
	clk_unlock();
	return error;
}

void clk_unprepare(struct clk *clk)
{
	if (IS_ERR_OR_NULL(clk))
		return;
	clk_lock();
	unprepare(clk->core);
	clk_unlock();
}

int clk_enable(struct clk *clk)
{
	return clk ? enable_locked(clk->core) : 0;
}

void clk_disable(struct clk *clk)
{
	if (!IS_ERR_OR_NULL(clk))
		disable_locked(clk->core);
}

int clk_switch_parent(struct clk_core *core, struct clk_core *parent, unsigned int index)
{
	struct clk_core *old = core->parent;
	bool is_enabled = core->enable_count;
	int error = 0;

	if (core->prepare_count)
		error = prepare(parent);
	if (error)
		return error;
	if (is_enabled)
		error = enable_locked(parent);
	if (!error && core->ops->set_parent) {
		error = core->ops->set_parent(core->hw, (u8)index);
		if (error && is_enabled)
			disable_locked(parent);
	}
	if (error) {
		if (core->prepare_count)
			unprepare(parent);
		return error;
	}
	clk_reparent(core, parent);
	if (is_enabled)
		disable_locked(old);
	if (core->prepare_count)
		unprepare(old);
	return 0;
}

static int set_parent(struct clk_core *core, struct clk_core *parent)
{
	int index = clk_parent_index(core, parent), error;

	if (core->parent == parent)
		return 0;
	if (core->num_parents > 1 && !core->ops->set_parent)
		return -EPERM;
	if (core->flags & CLK_SET_PARENT_GATE && core->prepare_count)
		return -EBUSY;
	if (index < 0)
		return index;
	error = clk_switch_parent(core, parent, (unsigned int)index);
	if (!error)
		clk_update_rates(core, POST_RATE_CHANGE);
	return error;
}

int clk_set_parent(struct clk *clk, struct clk *parent)
{
	int error;

	if (!clk)
		return 0;
	clk_lock();
	error = set_parent(clk->core, parent ? parent->core : NULL);
	clk_unlock();
	return error;
}

struct clk *clk_get_parent(struct clk *clk)
{
	struct clk *parent = NULL;

	if (!clk)
		return NULL;
	clk_lock();
	if (clk->core->parent && clk->core->parent->hw)
		parent = clk->core->parent->hw->clk;
	clk_unlock();
	return parent;
}

bool clk_has_parent(const struct clk *clk, const struct clk *parent)
{
	bool has;

	if (!clk || !parent)
		return true;
	clk_lock();
	has = clk->core->parent == parent->core || clk_parent_index(clk->core, parent->core) >= 0;
	clk_unlock();
	return has;
}

bool clk_is_match(const struct clk *one, const struct clk *other)
{
	if (one == other)
		return true;
	return !IS_ERR_OR_NULL(one) && !IS_ERR_OR_NULL(other) && one->core == other->core;
}

int clk_notifier_register(struct clk *clk, struct notifier_block *block)
{
	return clk && block ? blocking_notifier_chain_register(&clk->core->notifiers, block) :
			      -EINVAL;
}

int clk_notifier_unregister(struct clk *clk, struct notifier_block *block)
{
	return clk && block ? blocking_notifier_chain_unregister(&clk->core->notifiers, block) :
			      -EINVAL;
}

/* Registration. */

static int take_parents(struct clk_core *core, const struct clk_init_data *init)
{
	core->parent_names = kcalloc(init->num_parents + 1U, sizeof(char *), GFP_KERNEL);
	core->parent_hws = kcalloc(init->num_parents + 1U, sizeof(struct clk_hw *), GFP_KERNEL);
	if (!core->parent_names || !core->parent_hws)
		return -ENOMEM;
	core->num_parents = init->num_parents;
	for (unsigned int i = 0; i < init->num_parents; i++) {
		const struct clk_parent_data *data = init->parent_data ? &init->parent_data[i] :
								       NULL;
		const char *name = init->parent_names ? init->parent_names[i] :
				   data ? data->name ? data->name : data->fw_name : NULL;

		core->parent_hws[i] = init->parent_hws ? init->parent_hws[i] : data ? data->hw :
				      NULL;
		if (core->parent_hws[i] || !name)
			continue;
		core->parent_names[i] = kstrdup(name, GFP_KERNEL);
		if (!core->parent_names[i])
			return -ENOMEM;
	}
	return 0;
}

static bool operations_are_whole(const struct clk_ops *ops, unsigned int num_parents)
{
	return !(ops->set_rate && !(ops->round_rate || ops->determine_rate)) &&
	       !(ops->set_rate && !ops->recalc_rate) && !(ops->set_parent && !ops->get_parent) &&
	       !(num_parents > 1 && !ops->get_parent) &&
	       !(ops->set_rate_and_parent && !(ops->set_parent && ops->set_rate));
}

static void find_parent(struct clk_core *core)
{
	u8 index = core->num_parents > 1 ? core->ops->get_parent(core->hw) : 0;

	clk_reparent(core, clk_parent_at(core, index));
}

/* Clocks that waited for this parent get it, as prepared and enabled as they are. */
static void adopt(struct clk_core *parent)
{
	struct clk_core *core;

	list_for_each_entry(core, &clocks, list) {
		if (core->parent || !core->num_parents || core == parent)
			continue;
		find_parent(core);
		if (!core->parent)
			continue;
		if (core->prepare_count)
			prepare(core->parent);
		if (core->enable_count)
			enable_locked(core->parent);
		clk_update_rates(core, 0);
	}
}

static int call_init(struct clk_core *core)
{
	return core->ops->init ? core->ops->init(core->hw) : 0;
}

static int add(struct clk_core *core)
{
	int error;

	if (find(core->name)) {
		pr_debug("%s: clk %s already initialized\n", __func__, core->name);
		return -EEXIST;
	}
	error = call_init(core);
	if (error)
		return error;
	list_add_tail(&core->list, &clocks);
	find_parent(core);
	clk_update_rates(core, 0);
	if (core->flags & CLK_IS_CRITICAL) {
		error = prepare(core) ?: enable_locked(core);
		if (error)
			pr_warn("%s: critical clk '%s' failed to enable\n", __func__, core->name);
	}
	adopt(core);
	return 0;
}

static struct clk_core *make_core(struct clk_hw *hw, const struct clk_init_data *init)
{
	struct clk_core *core = kzalloc(sizeof(*core), GFP_KERNEL);

	if (!core)
		return ERR_PTR(-ENOMEM);
	kref_init(&core->users);
	INIT_LIST_HEAD(&core->list);
	INIT_LIST_HEAD(&core->children);
	INIT_LIST_HEAD(&core->sibling);
	BLOCKING_INIT_NOTIFIER_HEAD(&core->notifiers);
	core->hw = hw;
	core->ops = init->ops;
	core->flags = init->flags;
	core->name = kstrdup(init->name, GFP_KERNEL);
	if (!core->name || take_parents(core, init)) {
		kref_put(&core->users, free_core);
		return ERR_PTR(-ENOMEM);
	}
	return core;
}

int clk_hw_register(struct device *dev, struct clk_hw *hw)
{
	const struct clk_init_data *init = hw->init;
	struct clk_core *core;
	int error = -EINVAL;

	(void)dev;
	hw->init = NULL;
	if (WARN_ON(!init || !init->name || !init->ops))
		return -EINVAL;
	if (!operations_are_whole(init->ops, init->num_parents)) {
		pr_err("%s: operations of %s do not belong together\n", __func__, init->name);
		return -EINVAL;
	}
	core = make_core(hw, init);
	if (IS_ERR(core))
		return (int)PTR_ERR(core);
	hw->core = core;
	hw->clk = clk_user(core);
	error = PTR_ERR_OR_ZERO(hw->clk);
	clk_lock();
	if (!error)
		error = add(core);
	clk_unlock();
	if (!error)
		return 0;
	clk_put(hw->clk);
	hw->clk = NULL;
	hw->core = NULL;
	kref_put(&core->users, free_core);
	return error;
}

void clk_hw_unregister(struct clk_hw *hw)
{
	struct clk_core *core = hw ? hw->core : NULL, *child, *next;

	if (WARN_ON(!core))
		return;
	clk_lock();
	if (core->ops->terminate)
		core->ops->terminate(hw);
	if (core->flags & CLK_IS_CRITICAL && core->enable_count) {
		disable_locked(core);
		unprepare(core);
	}
	if (core->prepare_count)
		pr_warn("%s: unregistering prepared clock: %s\n", __func__, core->name);
	list_for_each_entry_safe(child, next, &core->children, sibling)
		clk_reparent(child, NULL);
	clk_reparent(core, NULL);
	list_del_init(&core->list);
	core->ops = &gone_ops;
	core->hw = NULL;
	clk_unlock();
	clk_put(hw->clk);
	hw->clk = NULL;
	hw->core = NULL;
	kref_put(&core->users, free_core);
}

static void unregister(void *hw)
{
	clk_hw_unregister(hw);
}

int devm_clk_hw_register(struct device *dev, struct clk_hw *hw)
{
	int error = clk_hw_register(dev, hw);

	return error ? error : devm_add_action_or_reset(dev, unregister, hw);
}

struct clk *clk_register(struct device *dev, struct clk_hw *hw)
{
	int error = clk_hw_register(dev, hw);

	return error ? ERR_PTR(error) : hw->clk;
}

struct clk *devm_clk_register(struct device *dev, struct clk_hw *hw)
{
	int error = devm_clk_hw_register(dev, hw);

	return error ? ERR_PTR(error) : hw->clk;
}

void clk_unregister(struct clk *clk)
{
	if (!WARN_ON_ONCE(IS_ERR_OR_NULL(clk)))
		clk_hw_unregister(clk->core->hw);
}

/* What a provider asks. */

const char *__clk_get_name(const struct clk *clk)
{
	return clk ? clk->core->name : NULL;
}

struct clk_hw *__clk_get_hw(struct clk *clk)
{
	return clk ? clk->core->hw : NULL;
}

const char *clk_hw_get_name(const struct clk_hw *hw)
{
	return hw->core->name;
}

unsigned long clk_hw_get_flags(const struct clk_hw *hw)
{
	return hw->core->flags;
}

unsigned long clk_hw_get_rate(const struct clk_hw *hw)
{
	return !hw->core->num_parents || hw->core->parent ? hw->core->rate : 0;
}

unsigned int clk_hw_get_num_parents(const struct clk_hw *hw)
{
	return hw->core->num_parents;
}

struct clk_hw *clk_hw_get_parent(const struct clk_hw *hw)
{
	return hw->core->parent ? hw->core->parent->hw : NULL;
}

struct clk_hw *clk_hw_get_parent_by_index(const struct clk_hw *hw, unsigned int index)
{
	const struct clk_core *parent = clk_parent_at(hw->core, index);

	return parent ? parent->hw : NULL;
}

bool clk_hw_is_prepared(const struct clk_hw *hw)
{
	return hw->core->ops->is_prepared ? hw->core->ops->is_prepared(hw->core->hw) :
					    hw->core->prepare_count > 0;
}

bool clk_hw_is_enabled(const struct clk_hw *hw)
{
	return hw->core->ops->is_enabled ? hw->core->ops->is_enabled(hw->core->hw) :
					   hw->core->enable_count > 0;
}

struct clk *clk_hw_get_clk(struct clk_hw *hw, const char *con_id)
{
	struct clk *clk;

	(void)con_id;
	clk_lock();
	clk = clk_user(hw->core);
	clk_unlock();
	return clk;
}
