/* SPDX-License-Identifier: MIT */
/*
 * Clocks that a module provides: a tree, in which a clock's rate is computed from its parent's. The
 * usual kinds (fixed, gate, divider, multiplexer, fixed factor) work on registers, which may be
 * plain memory.
 */
#ifndef __LINUX_CLK_PROVIDER_H
#define __LINUX_CLK_PROVIDER_H

#include <linux/clk.h>
#include <linux/of.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/version.h>
#include <usermm/compiler.h>

struct clk_core;
struct clk_hw;
struct dentry;
struct device;

#define CLK_SET_RATE_GATE BIT(0)		/* no change while it is prepared */
#define CLK_SET_PARENT_GATE BIT(1)
#define CLK_SET_RATE_PARENT BIT(2)		/* the parent may change its rate for it */
#define CLK_IGNORE_UNUSED BIT(3)
#define CLK_GET_RATE_NOCACHE BIT(6)		/* the rate is computed anew each time */
#define CLK_SET_RATE_NO_REPARENT BIT(7)
#define CLK_GET_ACCURACY_NOCACHE BIT(8)
#define CLK_RECALC_NEW_RATES BIT(9)
#define CLK_SET_RATE_UNGATE BIT(10)
#define CLK_IS_CRITICAL BIT(11)			/* enabled from the beginning on */
#define CLK_OPS_PARENT_ENABLE BIT(12)
#define CLK_DUTY_CYCLE_PARENT BIT(13)
#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 8, 0)
#define CLK_IS_ROOT BIT(4)
#endif

struct clk_rate_request {
	struct clk_core *core;
	unsigned long rate, min_rate, max_rate, best_parent_rate;
	struct clk_hw *best_parent_hw;
};

struct clk_duty {
	unsigned int num, den;
};

struct clk_ops {
	int (*prepare)(struct clk_hw *hw);
	void (*unprepare)(struct clk_hw *hw);
	int (*is_prepared)(struct clk_hw *hw);
	void (*unprepare_unused)(struct clk_hw *hw);
	int (*enable)(struct clk_hw *hw);
	void (*disable)(struct clk_hw *hw);
	int (*is_enabled)(struct clk_hw *hw);
	void (*disable_unused)(struct clk_hw *hw);
	int (*save_context)(struct clk_hw *hw);
	void (*restore_context)(struct clk_hw *hw);
	unsigned long (*recalc_rate)(struct clk_hw *hw, unsigned long parent_rate);
	long (*round_rate)(struct clk_hw *hw, unsigned long rate, unsigned long *parent_rate);
	int (*determine_rate)(struct clk_hw *hw, struct clk_rate_request *request);
	int (*set_parent)(struct clk_hw *hw, u8 index);
	u8 (*get_parent)(struct clk_hw *hw);
	int (*set_rate)(struct clk_hw *hw, unsigned long rate, unsigned long parent_rate);
	int (*set_rate_and_parent)(struct clk_hw *hw, unsigned long rate, unsigned long parent_rate,
				   u8 index);
	unsigned long (*recalc_accuracy)(struct clk_hw *hw, unsigned long parent_accuracy);
	int (*get_phase)(struct clk_hw *hw);
	int (*set_phase)(struct clk_hw *hw, int degrees);
	int (*get_duty_cycle)(struct clk_hw *hw, struct clk_duty *duty);
	int (*set_duty_cycle)(struct clk_hw *hw, struct clk_duty *duty);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 6, 0)
	int (*init)(struct clk_hw *hw);
#else
	void (*init)(struct clk_hw *hw);
#endif
	void (*terminate)(struct clk_hw *hw);
	void (*debug_init)(struct clk_hw *hw, struct dentry *dentry);
};

struct clk_parent_data {
	const struct clk_hw *hw;
	const char *fw_name, *name;
	int index;
};

/* Needed at the registration only. The parents are named in one of the three ways. */
struct clk_init_data {
	const char *name;
	const struct clk_ops *ops;
	const char *const *parent_names;
	const struct clk_parent_data *parent_data;
	const struct clk_hw **parent_hws;
	u8 num_parents;
	unsigned long flags;
};

struct clk_hw {
	struct clk_core *core;
	struct clk *clk;
	const struct clk_init_data *init;	/* NULL after the registration */
};

struct clk_fixed_rate {
	struct clk_hw hw;
	unsigned long fixed_rate, fixed_accuracy, flags;
};

struct clk_gate {
	struct clk_hw hw;
	void __iomem *reg;
	u8 bit_idx, flags;
	spinlock_t *lock;
};
#define CLK_GATE_SET_TO_DISABLE BIT(0)
#define CLK_GATE_HIWORD_MASK BIT(1)

struct clk_div_table {
	unsigned int val, div;		/* the last one has 0 */
};

struct clk_divider {
	struct clk_hw hw;
	void __iomem *reg;
	u8 shift, width;
	u16 flags;
	const struct clk_div_table *table;
	spinlock_t *lock;
};
#define CLK_DIVIDER_ONE_BASED BIT(0)
#define CLK_DIVIDER_POWER_OF_TWO BIT(1)
#define CLK_DIVIDER_ALLOW_ZERO BIT(2)
#define CLK_DIVIDER_HIWORD_MASK BIT(3)
#define CLK_DIVIDER_ROUND_CLOSEST BIT(4)
#define CLK_DIVIDER_READ_ONLY BIT(5)
#define CLK_DIVIDER_MAX_AT_ZERO BIT(6)

struct clk_mux {
	struct clk_hw hw;
	void __iomem *reg;
	const u32 *table;
	u32 mask;
	u8 shift, flags;
	spinlock_t *lock;
};
#define CLK_MUX_INDEX_ONE BIT(0)
#define CLK_MUX_INDEX_BIT BIT(1)
#define CLK_MUX_HIWORD_MASK BIT(2)
#define CLK_MUX_READ_ONLY BIT(3)
#define CLK_MUX_ROUND_CLOSEST BIT(4)

struct clk_fixed_factor {
	struct clk_hw hw;
	unsigned int mult, div;
};

#define to_clk_fixed_rate(_hw) container_of(_hw, struct clk_fixed_rate, hw)
#define to_clk_gate(_hw) container_of(_hw, struct clk_gate, hw)
#define to_clk_divider(_hw) container_of(_hw, struct clk_divider, hw)
#define to_clk_mux(_hw) container_of(_hw, struct clk_mux, hw)
#define to_clk_fixed_factor(_hw) container_of(_hw, struct clk_fixed_factor, hw)
#define clk_div_mask(width) ((1U << (width)) - 1)

extern const struct clk_ops clk_fixed_rate_ops __attribute__((visibility("default")));
extern const struct clk_ops clk_gate_ops __attribute__((visibility("default")));
extern const struct clk_ops clk_divider_ops __attribute__((visibility("default")));
extern const struct clk_ops clk_divider_ro_ops __attribute__((visibility("default")));
extern const struct clk_ops clk_mux_ops __attribute__((visibility("default")));
extern const struct clk_ops clk_mux_ro_ops __attribute__((visibility("default")));
extern const struct clk_ops clk_fixed_factor_ops __attribute__((visibility("default")));

USERMM_BEGIN_DECLS

/*
 * 0, -EEXIST for a name that is taken, -EINVAL for operations that do not belong together, -ENOMEM.
 * A parent may be registered later: until then the clock has none.
 */
int clk_hw_register(struct device *dev, struct clk_hw *hw) USERMM_API(clk_hw_register);
/* Children lose their parent. Users that are left get no rate any more. */
void clk_hw_unregister(struct clk_hw *hw) USERMM_API(clk_hw_unregister);
int devm_clk_hw_register(struct device *dev, struct clk_hw *hw) USERMM_API(devm_clk_hw_register);
struct clk *clk_register(struct device *dev, struct clk_hw *hw) USERMM_API(clk_register);
void clk_unregister(struct clk *clk) USERMM_API(clk_unregister);
struct clk *devm_clk_register(struct device *dev, struct clk_hw *hw)
	USERMM_API(devm_clk_register);

const char *__clk_get_name(const struct clk *clk) USERMM_API(__clk_get_name);
struct clk_hw *__clk_get_hw(struct clk *clk) USERMM_API(__clk_get_hw);
const char *clk_hw_get_name(const struct clk_hw *hw) USERMM_API(clk_hw_get_name);
unsigned long clk_hw_get_rate(const struct clk_hw *hw) USERMM_API(clk_hw_get_rate);
unsigned long clk_hw_get_flags(const struct clk_hw *hw) USERMM_API(clk_hw_get_flags);
unsigned int clk_hw_get_num_parents(const struct clk_hw *hw)
	USERMM_API(clk_hw_get_num_parents);
struct clk_hw *clk_hw_get_parent(const struct clk_hw *hw) USERMM_API(clk_hw_get_parent);
struct clk_hw *clk_hw_get_parent_by_index(const struct clk_hw *hw, unsigned int index)
	USERMM_API(clk_hw_get_parent_by_index);
bool clk_hw_is_enabled(const struct clk_hw *hw) USERMM_API(clk_hw_is_enabled);
bool clk_hw_is_prepared(const struct clk_hw *hw) USERMM_API(clk_hw_is_prepared);
unsigned long clk_hw_round_rate(struct clk_hw *hw, unsigned long rate)
	USERMM_API(clk_hw_round_rate);
/* A user of the clock, as clk_get() gives. */
struct clk *clk_hw_get_clk(struct clk_hw *hw, const char *con_id) USERMM_API(clk_hw_get_clk);

/* The usual kinds. Each allocates its structure; _unregister_ frees it. An error pointer fails. */
struct clk_hw *clk_hw_register_fixed_rate(struct device *dev, const char *name,
					  const char *parent_name, unsigned long flags,
					  unsigned long rate)
	USERMM_API(clk_hw_register_fixed_rate);
struct clk_hw *clk_hw_register_gate(struct device *dev, const char *name, const char *parent_name,
				    unsigned long flags, void __iomem *reg, u8 bit_idx,
				    u8 gate_flags, spinlock_t *lock)
	USERMM_API(clk_hw_register_gate);
struct clk_hw *clk_hw_register_divider_table(struct device *dev, const char *name,
					     const char *parent_name, unsigned long flags,
					     void __iomem *reg, u8 shift, u8 width,
					     unsigned long divider_flags,
					     const struct clk_div_table *table, spinlock_t *lock)
	USERMM_API(clk_hw_register_divider_table);
struct clk_hw *clk_hw_register_mux_table(struct device *dev, const char *name,
					 const char *const *parent_names, u8 num_parents,
					 unsigned long flags, void __iomem *reg, u8 shift, u32 mask,
					 u8 mux_flags, const u32 *table, spinlock_t *lock)
	USERMM_API(clk_hw_register_mux_table);
struct clk_hw *clk_hw_register_fixed_factor(struct device *dev, const char *name,
					    const char *parent_name, unsigned long flags,
					    unsigned int mult, unsigned int div)
	USERMM_API(clk_hw_register_fixed_factor);
/* Of all kinds: the structure begins with its clk_hw. */
void usermm_clk_hw_free(struct clk_hw *hw) __attribute__((visibility("default")));

USERMM_END_DECLS

#define clk_hw_register_divider(dev, name, parent, flags, reg, shift, width, divider_flags, lock) \
	clk_hw_register_divider_table(dev, name, parent, flags, reg, shift, width, divider_flags, \
				      NULL, lock)
#define clk_hw_register_mux(dev, name, parents, nr, flags, reg, shift, width, mux_flags, lock)	\
	clk_hw_register_mux_table(dev, name, parents, nr, flags, reg, shift, \
				  clk_div_mask(width), mux_flags, NULL, lock)
#define clk_hw_unregister_fixed_rate(hw) usermm_clk_hw_free(hw)
#define clk_hw_unregister_gate(hw) usermm_clk_hw_free(hw)
#define clk_hw_unregister_divider(hw) usermm_clk_hw_free(hw)
#define clk_hw_unregister_mux(hw) usermm_clk_hw_free(hw)
#define clk_hw_unregister_fixed_factor(hw) usermm_clk_hw_free(hw)

static inline struct clk *usermm_clk_of(struct clk_hw *hw)
{
	return IS_ERR(hw) ? ERR_CAST(hw) : hw->clk;
}

#define clk_register_fixed_rate(...) usermm_clk_of(clk_hw_register_fixed_rate(__VA_ARGS__))
#define clk_register_gate(...) usermm_clk_of(clk_hw_register_gate(__VA_ARGS__))
#define clk_register_divider(...) usermm_clk_of(clk_hw_register_divider(__VA_ARGS__))
#define clk_register_mux(...) usermm_clk_of(clk_hw_register_mux(__VA_ARGS__))
#define clk_register_fixed_factor(...) usermm_clk_of(clk_hw_register_fixed_factor(__VA_ARGS__))
#define clk_unregister_fixed_rate(clk) usermm_clk_hw_free(__clk_get_hw(clk))
#define clk_unregister_gate(clk) usermm_clk_hw_free(__clk_get_hw(clk))
#define clk_unregister_divider(clk) usermm_clk_hw_free(__clk_get_hw(clk))
#define clk_unregister_mux(clk) usermm_clk_hw_free(__clk_get_hw(clk))
#define clk_unregister_fixed_factor(clk) usermm_clk_hw_free(__clk_get_hw(clk))

#define CLK_HW_INIT(_name, _parent, _ops, _flags)				\
	(&(struct clk_init_data){						\
		.flags = (_flags), .name = (_name),				\
		.parent_names = (const char *[]){ _parent }, .num_parents = 1, .ops = (_ops), \
	})
#define CLK_HW_INIT_NO_PARENT(_name, _ops, _flags)				\
	(&(struct clk_init_data){ .flags = (_flags), .name = (_name), .ops = (_ops) })

/* No device tree asks for a clock. */
#define of_clk_add_hw_provider(node, get, data) ((void)(node), (void)(get), (void)(data), 0)
#define of_clk_add_provider(node, get, data) ((void)(node), (void)(get), (void)(data), 0)
#define devm_of_clk_add_hw_provider(dev, get, data) ((void)(dev), (void)(get), (void)(data), 0)
#define of_clk_del_provider(node) ((void)(node))

#endif
