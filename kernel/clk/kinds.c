// SPDX-License-Identifier: MIT
/* The usual kinds of clocks. cf. Linux drivers/clk/clk-*.c. */
#include <linux/bits.h>
#include <linux/err.h>
#include <linux/io.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/slab.h>

#include "clk.h"

static unsigned long lock_register(spinlock_t *lock)
{
	unsigned long flags = 0;

	if (lock)
		spin_lock_irqsave(lock, flags);
	return flags;
}

static void unlock_register(spinlock_t *lock, unsigned long flags)
{
	if (lock)
		spin_unlock_irqrestore(lock, flags);
}

/* With is_high, the upper half of the register says which bits of the lower half are meant. */
static void write_field(void __iomem *reg, spinlock_t *lock, unsigned int shift, u32 mask,
			u32 value, bool is_high)
{
	unsigned long flags = lock_register(lock);
	u32 all = is_high ? mask << (shift + 16) : readl(reg) & ~(mask << shift);

	writel(all | value << shift, reg);
	unlock_register(lock, flags);
}

static u32 read_field(void __iomem *reg, unsigned int shift, u32 mask)
{
	return readl(reg) >> shift & mask;
}

/* Fixed rates. */

static unsigned long fixed_rate(struct clk_hw *hw, unsigned long parent_rate)
{
	(void)parent_rate;
	return to_clk_fixed_rate(hw)->fixed_rate;
}

const struct clk_ops clk_fixed_rate_ops = { .recalc_rate = fixed_rate };

/* Gates. */

static void set_gate(struct clk_hw *hw, bool on)
{
	const struct clk_gate *gate = to_clk_gate(hw);
	bool bit = on != !!(gate->flags & CLK_GATE_SET_TO_DISABLE);

	write_field(gate->reg, gate->lock, gate->bit_idx, 1, bit,
		    gate->flags & CLK_GATE_HIWORD_MASK);
}

static int gate_enable(struct clk_hw *hw)
{
	set_gate(hw, true);
	return 0;
}

static void gate_disable(struct clk_hw *hw)
{
	set_gate(hw, false);
}

static int gate_is_enabled(struct clk_hw *hw)
{
	const struct clk_gate *gate = to_clk_gate(hw);

	return read_field(gate->reg, gate->bit_idx, 1) != !!(gate->flags & CLK_GATE_SET_TO_DISABLE);
}

const struct clk_ops clk_gate_ops = {
	.enable = gate_enable, .disable = gate_disable, .is_enabled = gate_is_enabled,
};

/* Dividers. */

static unsigned int divisor_of(const struct clk_divider *divider, u32 value)
{
	if (divider->table) {
		for (const struct clk_div_table *entry = divider->table; entry->div; entry++)
			if (entry->val == value)
				return entry->div;
		return 0;
	}
	if (divider->flags & CLK_DIVIDER_ONE_BASED)
		return value;
	if (divider->flags & CLK_DIVIDER_POWER_OF_TWO)
		return 1U << value;
	if (divider->flags & CLK_DIVIDER_MAX_AT_ZERO)
		return value ? value : clk_div_mask(divider->width) + 1;
	return value + 1;
}

/* The register's value for a divisor that is_divisor() knows. */
static u32 value_of(const struct clk_divider *divider, unsigned int divisor)
{
	if (divider->table) {
		for (const struct clk_div_table *entry = divider->table; entry->div; entry++)
			if (entry->div == divisor)
				return entry->val;
		return 0;
	}
	if (divider->flags & CLK_DIVIDER_ONE_BASED)
		return divisor;
	if (divider->flags & CLK_DIVIDER_POWER_OF_TWO)
		return (u32)ilog2(divisor);
	if (divider->flags & CLK_DIVIDER_MAX_AT_ZERO)
		return divisor == clk_div_mask(divider->width) + 1 ? 0 : divisor;
	return divisor - 1;
}

static unsigned int largest_divisor(const struct clk_divider *divider)
{
	unsigned int mask = clk_div_mask(divider->width), largest = 0;

	if (divider->table) {
		for (const struct clk_div_table *entry = divider->table; entry->div; entry++)
			if (entry->val <= mask)
				largest = max(largest, entry->div);
		return largest;
	}
	if (divider->flags & CLK_DIVIDER_ONE_BASED)
		return mask;
	return divider->flags & CLK_DIVIDER_POWER_OF_TWO ? 1U << mask : mask + 1;
}

static bool is_divisor(const struct clk_divider *divider, unsigned int divisor)
{
	if (divider->table) {
		for (const struct clk_div_table *entry = divider->table; entry->div; entry++)
			if (entry->div == divisor)
				return true;
		return false;
	}
	return !(divider->flags & CLK_DIVIDER_POWER_OF_TWO) || is_power_of_2(divisor);
}

static unsigned long divide(unsigned long rate, unsigned int divisor)
{
	return DIV_ROUND_UP_ULL((u64)rate, divisor);
}

static unsigned long divider_rate(struct clk_hw *hw, unsigned long parent_rate)
{
	const struct clk_divider *divider = to_clk_divider(hw);
	unsigned int divisor = divisor_of(divider, read_field(divider->reg, divider->shift,
							      clk_div_mask(divider->width)));

	if (!divisor) {
		WARN(!(divider->flags & CLK_DIVIDER_ALLOW_ZERO),
		     "%s: Zero divisor and CLK_DIVIDER_ALLOW_ZERO not set\n", clk_hw_get_name(hw));
		return parent_rate;
	}
	return divide(parent_rate, divisor);
}

static bool is_better(const struct clk_divider *divider, unsigned long wanted, unsigned long now,
		      unsigned long best)
{
	if (divider->flags & CLK_DIVIDER_ROUND_CLOSEST)
		return abs_diff(wanted, now) < abs_diff(wanted, best);
	return now <= wanted && now > best;
}

/*
 * The divisor with the best rate. If the parent may change, each divisor is tried with the rate
 * that the parent would then have; *parent_rate is the best one.
 */
static unsigned int best_divisor(struct clk_hw *hw, unsigned long rate, unsigned long *parent_rate)
{
	const struct clk_divider *divider = to_clk_divider(hw);
	bool parent_changes = clk_hw_get_flags(hw) & CLK_SET_RATE_PARENT && clk_hw_get_parent(hw);
	unsigned int largest = largest_divisor(divider), found = 0;
	unsigned long best = 0, saved = *parent_rate;

	rate = max(rate, 1UL);
	for (unsigned int i = 1; i <= largest; i++) {
		unsigned long above = saved, now;

		if (!is_divisor(divider, i))
			continue;
		if (parent_changes && rate <= ULONG_MAX / i && rate * i != saved)
			above = clk_hw_round_rate(clk_hw_get_parent(hw), rate * i);
		now = divide(above, i);
		if (is_better(divider, rate, now, best)) {
			found = i;
			best = now;
			*parent_rate = above;
		}
	}
	/* All are too fast: the slowest is the last resort. */
	if (found)
		return found;
	*parent_rate = parent_changes ? clk_hw_round_rate(clk_hw_get_parent(hw), 1) : saved;
	return largest;
}

static int divider_choose(struct clk_hw *hw, struct clk_rate_request *request)
{
	const struct clk_divider *divider = to_clk_divider(hw);
	unsigned int divisor;

	if (divider->flags & CLK_DIVIDER_READ_ONLY) {
		request->rate = divider_rate(hw, request->best_parent_rate);
		return 0;
	}
	divisor = best_divisor(hw, request->rate, &request->best_parent_rate);
	request->rate = divide(request->best_parent_rate, divisor);
	return 0;
}

static int divider_set(struct clk_hw *hw, unsigned long rate, unsigned long parent_rate)
{
	const struct clk_divider *divider = to_clk_divider(hw);
	unsigned int divisor = (unsigned int)DIV_ROUND_UP_ULL((u64)parent_rate, max(rate, 1UL));

	divisor = max(divisor, 1U);	/* a clock without a parent has no rate */
	if (!is_divisor(divider, divisor))
		return -EINVAL;
	write_field(divider->reg, divider->lock, divider->shift, clk_div_mask(divider->width),
		    min(value_of(divider, divisor), clk_div_mask(divider->width)),
		    divider->flags & CLK_DIVIDER_HIWORD_MASK);
	return 0;
}

const struct clk_ops clk_divider_ops = {
	.recalc_rate = divider_rate, .determine_rate = divider_choose, .set_rate = divider_set,
};
const struct clk_ops clk_divider_ro_ops = {
	.recalc_rate = divider_rate, .determine_rate = divider_choose,
};

/* Multiplexers. */

static u8 mux_get(struct clk_hw *hw)
{
	const struct clk_mux *mux = to_clk_mux(hw);
	u32 value = read_field(mux->reg, mux->shift, mux->mask);

	if (mux->table) {
		for (unsigned int i = 0; i < clk_hw_get_num_parents(hw); i++)
			if (mux->table[i] == value)
				return (u8)i;
		return U8_MAX;
	}
	if (value && mux->flags & CLK_MUX_INDEX_BIT)
		value = (u32)ffs((int)value) - 1;
	if (value && mux->flags & CLK_MUX_INDEX_ONE)
		value--;
	return value < clk_hw_get_num_parents(hw) ? (u8)value : U8_MAX;
}

static int mux_set(struct clk_hw *hw, u8 index)
{
	const struct clk_mux *mux = to_clk_mux(hw);
	u32 value = index;

	if (mux->table)
		value = mux->table[index];
	else if (mux->flags & CLK_MUX_INDEX_BIT)
		value = 1U << index;
	else if (mux->flags & CLK_MUX_INDEX_ONE)
		value++;
	write_field(mux->reg, mux->lock, mux->shift, mux->mask, value,
		    mux->flags & CLK_MUX_HIWORD_MASK);
	return 0;
}

/* The parent that comes nearest: without CLK_MUX_ROUND_CLOSEST it may not be faster. */
static int mux_choose(struct clk_hw *hw, struct clk_rate_request *request)
{
	const struct clk_mux *mux = to_clk_mux(hw);
	bool closest = mux->flags & CLK_MUX_ROUND_CLOSEST, found = false;
	unsigned long best = 0;

	for (unsigned int i = 0; i < clk_hw_get_num_parents(hw); i++) {
		struct clk_hw *parent = clk_hw_get_parent_by_index(hw, i);
		unsigned long rate;

		if (!parent || (clk_hw_get_flags(hw) & CLK_SET_RATE_NO_REPARENT &&
				parent != clk_hw_get_parent(hw)))
			continue;
		rate = clk_hw_get_flags(hw) & CLK_SET_RATE_PARENT ?
		       clk_hw_round_rate(parent, request->rate) : clk_hw_get_rate(parent);
		if (closest ? found && abs_diff(request->rate, rate) >=
					abs_diff(request->rate, best) :
			      rate > request->rate || rate <= best)
			continue;
		best = rate;
		found = true;
		request->best_parent_hw = parent;
		request->best_parent_rate = rate;
	}
	if (!found)
		return -EINVAL;
	request->rate = best;
	return 0;
}

const struct clk_ops clk_mux_ops = {
	.get_parent = mux_get, .set_parent = mux_set, .determine_rate = mux_choose,
};
const struct clk_ops clk_mux_ro_ops = { .get_parent = mux_get };

/* Fixed factors. */

static unsigned long factor_rate(struct clk_hw *hw, unsigned long parent_rate)
{
	const struct clk_fixed_factor *factor = to_clk_fixed_factor(hw);

	return (unsigned long)div_u64((u64)parent_rate * factor->mult, factor->div);
}

static int factor_choose(struct clk_hw *hw, struct clk_rate_request *request)
{
	const struct clk_fixed_factor *factor = to_clk_fixed_factor(hw);

	if (clk_hw_get_flags(hw) & CLK_SET_RATE_PARENT && clk_hw_get_parent(hw))
		request->best_parent_rate = clk_hw_round_rate(clk_hw_get_parent(hw),
			request->rate / factor->mult * factor->div);
	request->rate = factor_rate(hw, request->best_parent_rate);
	return 0;
}

/* The parent has changed, which is all. */
static int factor_set(struct clk_hw *hw, unsigned long rate, unsigned long parent_rate)
{
	(void)hw, (void)rate, (void)parent_rate;
	return 0;
}

const struct clk_ops clk_fixed_factor_ops = {
	.recalc_rate = factor_rate, .determine_rate = factor_choose, .set_rate = factor_set,
};

/* Registers a structure that begins with its clk_hw, and takes it over. */
static struct clk_hw *finish(struct device *dev, struct clk_hw *hw, const char *name,
			     const struct clk_ops *ops, unsigned long flags,
			     const char *const *parents, unsigned int nr_parents)
{
	const struct clk_init_data init = {
		.name = name, .ops = ops, .flags = flags, .parent_names = parents,
		.num_parents = (u8)nr_parents,
	};
	int error;

	hw->init = &init;
	error = clk_hw_register(dev, hw);
	if (!error)
		return hw;
	kfree(hw);
	return ERR_PTR(error);
}

void usermm_clk_hw_free(struct clk_hw *hw)
{
	clk_hw_unregister(hw);
	kfree(hw);
}

struct clk_hw *clk_hw_register_fixed_rate(struct device *dev, const char *name,
					  const char *parent_name, unsigned long flags,
					  unsigned long rate)
{
	struct clk_fixed_rate *fixed = kzalloc(sizeof(*fixed), GFP_KERNEL);

	if (!fixed)
		return ERR_PTR(-ENOMEM);
	fixed->fixed_rate = rate;
	return finish(dev, &fixed->hw, name, &clk_fixed_rate_ops, flags, &parent_name,
		      parent_name != NULL);
}

struct clk_hw *clk_hw_register_gate(struct device *dev, const char *name, const char *parent_name,
				    unsigned long flags, void __iomem *reg, u8 bit_idx,
				    u8 gate_flags, spinlock_t *lock)
{
	struct clk_gate *gate;

	if (gate_flags & CLK_GATE_HIWORD_MASK && bit_idx > 15) {
		pr_err("gate bit exceeds LOWORD field\n");
		return ERR_PTR(-EINVAL);
	}
	gate = kzalloc(sizeof(*gate), GFP_KERNEL);
	if (!gate)
		return ERR_PTR(-ENOMEM);
	gate->reg = reg;
	gate->bit_idx = bit_idx;
	gate->flags = gate_flags;
	gate->lock = lock;
	return finish(dev, &gate->hw, name, &clk_gate_ops, flags, &parent_name,
		      parent_name != NULL);
}

struct clk_hw *clk_hw_register_divider_table(struct device *dev, const char *name,
					     const char *parent_name, unsigned long flags,
					     void __iomem *reg, u8 shift, u8 width,
					     unsigned long divider_flags,
					     const struct clk_div_table *table, spinlock_t *lock)
{
	struct clk_divider *divider;

	if (divider_flags & CLK_DIVIDER_HIWORD_MASK && width + shift > 16) {
		pr_warn("divider value exceeds LOWORD field\n");
		return ERR_PTR(-EINVAL);
	}
	divider = kzalloc(sizeof(*divider), GFP_KERNEL);
	if (!divider)
		return ERR_PTR(-ENOMEM);
	divider->reg = reg;
	divider->shift = shift;
	divider->width = width;
	divider->flags = (u16)divider_flags;
	divider->table = table;
	divider->lock = lock;
	return finish(dev, &divider->hw, name, divider_flags & CLK_DIVIDER_READ_ONLY ?
		      &clk_divider_ro_ops : &clk_divider_ops, flags, &parent_name,
		      parent_name != NULL);
}

struct clk_hw *clk_hw_register_mux_table(struct device *dev, const char *name,
					 const char *const *parent_names, u8 num_parents,
					 unsigned long flags, void __iomem *reg, u8 shift, u32 mask,
					 u8 mux_flags, const u32 *table, spinlock_t *lock)
{
	struct clk_mux *mux = kzalloc(sizeof(*mux), GFP_KERNEL);

	if (!mux)
		return ERR_PTR(-ENOMEM);
	mux->reg = reg;
	mux->shift = shift;
	mux->mask = mask;
	mux->flags = mux_flags;
	mux->table = table;
	mux->lock = lock;
	return finish(dev, &mux->hw, name, mux_flags & CLK_MUX_READ_ONLY ? &clk_mux_ro_ops :
		      &clk_mux_ops, flags, parent_names, num_parents);
}

struct clk_hw *clk_hw_register_fixed_factor(struct device *dev, const char *name,
					    const char *parent_name, unsigned long flags,
					    unsigned int mult, unsigned int div)
{
	struct clk_fixed_factor *factor = kzalloc(sizeof(*factor), GFP_KERNEL);

	if (!factor)
		return ERR_PTR(-ENOMEM);
	factor->mult = mult;
	factor->div = div;
	return finish(dev, &factor->hw, name, &clk_fixed_factor_ops, flags, &parent_name,
		      parent_name != NULL);
}
