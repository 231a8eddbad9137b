// SPDX-License-Identifier: MIT
/* Clocks that a module provides: trees, counts, rates. */
#include <kunit/test.h>
#include <linux/clk-provider.h>
#include <linux/clkdev.h>
#include <linux/io.h>
#include <linux/platform_device.h>
#include <linux/slab.h>

static u32 reg[4];

static void clear(struct kunit *test)
{
	(void)test;
	memset(reg, 0, sizeof(reg));
}

static struct clk_hw *fixed(const char *name, unsigned long rate)
{
	return clk_hw_register_fixed_rate(NULL, name, NULL, 0, rate);
}

static void test_counts_reach_the_parents(struct kunit *test)
{
	struct clk_hw *root = fixed("root", 1000), *outer, *inner;

	KUNIT_ASSERT_FALSE(test, IS_ERR(root));
	outer = clk_hw_register_gate(NULL, "outer", "root", 0, &reg[0], 3, 0, NULL);
	inner = clk_hw_register_gate(NULL, "inner", "outer", 0, &reg[1], 0,
				     CLK_GATE_SET_TO_DISABLE, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(outer) || IS_ERR(inner));
	KUNIT_EXPECT_EQ(test, clk_get_rate(inner->clk), 1000UL);
	KUNIT_EXPECT_EQ(test, clk_enable(inner->clk), -ESHUTDOWN);	/* not prepared */
	KUNIT_EXPECT_EQ(test, clk_prepare_enable(inner->clk), 0);
	KUNIT_EXPECT_EQ(test, clk_prepare_enable(outer->clk), 0);
	KUNIT_EXPECT_EQ(test, readl(&reg[0]), 8U);
	KUNIT_EXPECT_EQ(test, readl(&reg[1]), 0U);
	KUNIT_EXPECT_TRUE(test, clk_hw_is_enabled(inner));
	clk_disable_unprepare(inner->clk);
	KUNIT_EXPECT_EQ(test, readl(&reg[0]), 8U);
	KUNIT_EXPECT_EQ(test, readl(&reg[1]), 1U);
	clk_disable_unprepare(outer->clk);
	KUNIT_EXPECT_EQ(test, readl(&reg[0]), 0U);
	KUNIT_EXPECT_FALSE(test, clk_hw_is_prepared(root));
	clk_hw_unregister_gate(inner);
	clk_hw_unregister_gate(outer);
	clk_hw_unregister_fixed_rate(root);
}

static const struct clk_div_table odd[] = { { 0, 1 }, { 1, 3 }, { 2, 9 }, { 0, 0 } };

static void test_dividers(struct kunit *test)
{
	static const struct {
		unsigned long flags, wanted, rate;
		u32 value;
		const struct clk_div_table *table;
	} cases[] = {
		{ 0, 1000, 1000, 0, NULL }, { 0, 500, 500, 1, NULL }, { 0, 400, 334, 2, NULL },
		{ 0, 1, 63, 15, NULL },
		{ CLK_DIVIDER_ROUND_CLOSEST, 480, 500, 1, NULL },
		{ CLK_DIVIDER_ONE_BASED | CLK_DIVIDER_ALLOW_ZERO, 250, 250, 4, NULL },
		{ CLK_DIVIDER_POWER_OF_TWO, 300, 250, 2, NULL },
		{ CLK_DIVIDER_MAX_AT_ZERO, 63, 63, 0, NULL },
		{ 0, 350, 334, 1, odd }, { 0, 120, 112, 2, odd },
	};
	struct clk_hw *root = fixed("root", 1000);

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct clk_hw *hw;

		writel(0xf000000f, &reg[0]);
		hw = clk_hw_register_divider_table(NULL, "div", "root", 0, &reg[0], 8, 4,
						   cases[i].flags, cases[i].table, NULL);
		KUNIT_ASSERT_FALSE(test, IS_ERR(hw));
		KUNIT_EXPECT_EQ_MSG(test, clk_round_rate(hw->clk, cases[i].wanted),
				    (long)cases[i].rate, "case %u", i);
		KUNIT_EXPECT_EQ(test, clk_set_rate(hw->clk, cases[i].wanted), 0);
		KUNIT_EXPECT_EQ_MSG(test, clk_get_rate(hw->clk), cases[i].rate, "case %u", i);
		KUNIT_EXPECT_EQ_MSG(test, readl(&reg[0]), 0xf000000f | cases[i].value << 8,
				    "case %u", i);
		clk_hw_unregister_divider(hw);
	}
	KUNIT_EXPECT_EQ(test, clk_set_rate(root->clk, 5), 0);	/* the nearest that it has */
	KUNIT_EXPECT_EQ(test, clk_get_rate(root->clk), 1000UL);
	clk_hw_unregister_fixed_rate(root);
}

static unsigned long told[8];
static unsigned int nr_told;
static int answer;

static int hear(struct notifier_block *block, unsigned long event, void *data)
{
	const struct clk_notifier_data *change = data;

	(void)block;
	if (nr_told + 2 < ARRAY_SIZE(told)) {
		told[nr_told++] = event;
		told[nr_told++] = change->new_rate;
	}
	return event == PRE_RATE_CHANGE ? answer : NOTIFY_OK;
}

/* A gate passes the wish to the divider above it, and those beside it follow. */
static void test_rates_spread(struct kunit *test)
{
	struct notifier_block block = { .notifier_call = hear };
	struct clk_hw *root = fixed("root", 1200), *div, *gate, *half;

	div = clk_hw_register_divider(NULL, "div", "root", 0, &reg[0], 0, 4, 0, NULL);
	gate = clk_hw_register_gate(NULL, "gate", "div", CLK_SET_RATE_PARENT, &reg[1], 0, 0, NULL);
	half = clk_hw_register_fixed_factor(NULL, "half", "div", 0, 1, 2);
	KUNIT_ASSERT_FALSE(test, IS_ERR(div) || IS_ERR(gate) || IS_ERR(half));
	KUNIT_ASSERT_EQ(test, clk_notifier_register(half->clk, &block), 0);
	nr_told = 0;
	answer = NOTIFY_OK;
	KUNIT_EXPECT_EQ(test, clk_set_rate(gate->clk, 400), 0);
	KUNIT_EXPECT_EQ(test, clk_get_rate(div->clk), 400UL);
	KUNIT_EXPECT_EQ(test, clk_get_rate(gate->clk), 400UL);
	KUNIT_EXPECT_EQ(test, clk_get_rate(half->clk), 200UL);
	KUNIT_EXPECT_EQ(test, nr_told, 4U);
	KUNIT_EXPECT_EQ(test, told[0], PRE_RATE_CHANGE);
	KUNIT_EXPECT_EQ(test, told[1], 200UL);
	KUNIT_EXPECT_EQ(test, told[2], POST_RATE_CHANGE);
	answer = NOTIFY_BAD;
	KUNIT_EXPECT_EQ(test, clk_set_rate(gate->clk, 1200), -EBUSY);
	KUNIT_EXPECT_EQ(test, clk_get_rate(gate->clk), 400UL);
	KUNIT_EXPECT_EQ(test, told[4], PRE_RATE_CHANGE);
	KUNIT_EXPECT_EQ(test, clk_set_rate(gate->clk, 400), 0);	/* no change: nobody is asked */
	clk_notifier_unregister(half->clk, &block);
	clk_hw_unregister_fixed_factor(half);
	clk_hw_unregister_gate(gate);
	clk_hw_unregister_divider(div);
	clk_hw_unregister_fixed_rate(root);
}

static void test_multiplexers(struct kunit *test)
{
	static const char *const parents[] = { "slow", "fast", "later" };
	struct clk_hw *slow = fixed("slow", 100), *fast, *mux, *later;

	fast = clk_hw_register_gate(NULL, "fast", NULL, 0, &reg[1], 0, 0, NULL);
	mux = clk_hw_register_mux(NULL, "mux", parents, 3, 0, &reg[0], 4, 2, 0, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(fast) || IS_ERR(mux));
	KUNIT_EXPECT_PTR_EQ(test, clk_get_parent(mux->clk), slow->clk);
	KUNIT_EXPECT_EQ(test, clk_prepare_enable(mux->clk), 0);
	KUNIT_EXPECT_TRUE(test, clk_has_parent(mux->clk, fast->clk));
	KUNIT_EXPECT_FALSE(test, clk_has_parent(slow->clk, fast->clk));
	KUNIT_EXPECT_EQ(test, clk_set_parent(mux->clk, fast->clk), 0);
	KUNIT_EXPECT_EQ(test, readl(&reg[0]), 1U << 4);
	KUNIT_EXPECT_EQ(test, readl(&reg[1]), 1U);		/* the new parent is enabled */
	KUNIT_EXPECT_FALSE(test, clk_hw_is_prepared(slow));
	KUNIT_EXPECT_EQ(test, clk_set_parent(mux->clk, mux->clk), -EINVAL);

	/* A rate that only one parent has. */
	later = fixed("later", 700);
	KUNIT_EXPECT_EQ(test, clk_set_rate(mux->clk, 720), 0);
	KUNIT_EXPECT_PTR_EQ(test, clk_get_parent(mux->clk), later->clk);
	KUNIT_EXPECT_EQ(test, clk_get_rate(mux->clk), 700UL);
	KUNIT_EXPECT_EQ(test, readl(&reg[1]), 0U);
	clk_disable_unprepare(mux->clk);
	clk_hw_unregister_fixed_rate(later);
	KUNIT_EXPECT_EQ(test, clk_get_rate(mux->clk), 0UL);	/* it has no parent now */
	clk_hw_unregister_mux(mux);
	clk_hw_unregister_gate(fast);
	clk_hw_unregister_fixed_rate(slow);
}

/* A clock may come before its parent. */
static void test_parents_that_come_later(struct kunit *test)
{
	struct clk_hw *gate = clk_hw_register_gate(NULL, "gate", "root", 0, &reg[0], 0, 0, NULL);
	struct clk_hw *root;

	KUNIT_ASSERT_FALSE(test, IS_ERR(gate));
	KUNIT_EXPECT_EQ(test, clk_get_rate(gate->clk), 0UL);
	KUNIT_EXPECT_EQ(test, clk_prepare_enable(gate->clk), 0);
	root = fixed("root", 50);
	KUNIT_EXPECT_EQ(test, clk_get_rate(gate->clk), 50UL);
	KUNIT_EXPECT_TRUE(test, clk_hw_is_enabled(root));
	clk_disable_unprepare(gate->clk);
	KUNIT_EXPECT_FALSE(test, clk_hw_is_enabled(root));
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(fixed("root", 1)), -EEXIST);
	clk_hw_unregister_gate(gate);
	clk_hw_unregister_fixed_rate(root);
}

static int refuse(struct clk_hw *hw)
{
	(void)hw;
	return -EIO;
}

static int set_nothing(struct clk_hw *hw, unsigned long rate, unsigned long parent_rate)
{
	(void)hw, (void)rate, (void)parent_rate;
	return 0;
}

static const struct clk_ops refusing = { .enable = refuse };
static const struct clk_ops not_whole = { .set_rate = set_nothing };

static void test_mistakes_and_refusals(struct kunit *test)
{
	struct clk_hw *root = clk_hw_register_gate(NULL, "root", NULL, 0, &reg[0], 0, 0, NULL);
	struct clk_hw hw = { .init = CLK_HW_INIT("refusing", "root", &refusing, 0) };
	struct clk_hw other = { .init = CLK_HW_INIT("other", "root", &not_whole, 0) };
	struct clk *user;

	KUNIT_ASSERT_EQ(test, clk_hw_register(NULL, &hw), 0);
	KUNIT_EXPECT_NULL(test, hw.init);
	KUNIT_EXPECT_EQ(test, clk_hw_register(NULL, &other), -EINVAL);
	KUNIT_EXPECT_EQ(test, clk_prepare_enable(hw.clk), -EIO);
	KUNIT_EXPECT_EQ(test, readl(&reg[0]), 0U);
	KUNIT_EXPECT_FALSE(test, clk_hw_is_prepared(root));
	/* A user that stays behind gets errors. */
	user = clk_hw_get_clk(&hw, NULL);
	clk_hw_unregister(&hw);
	KUNIT_EXPECT_EQ(test, clk_prepare(user), -ENXIO);
	clk_put(user);
	KUNIT_EXPECT_EQ(test, clk_prepare_enable(NULL), 0);
	clk_hw_unregister_gate(root);
}

static void test_users_find_their_clock(struct kunit *test)
{
	struct platform_device *device = platform_device_register_simple("user", -1, NULL, 0);
	struct clk_hw *one = fixed("one", 1), *two = fixed("two", 2);
	struct clk_lookup *lookups[2];
	struct clk *clk;

	KUNIT_EXPECT_NULL(test, clk_get(&device->dev, "bus"));	/* nobody provides clocks */
	lookups[0] = clkdev_hw_create(one, "bus", NULL);
	lookups[1] = clkdev_create(two->clk, NULL, "%s", "user");
	KUNIT_ASSERT_TRUE(test, lookups[0] && lookups[1]);
	clk = clk_get(&device->dev, "bus");		/* the device's name counts more */
	KUNIT_EXPECT_EQ(test, clk_get_rate(clk), 2UL);
	KUNIT_EXPECT_TRUE(test, clk_is_match(clk, two->clk));
	clk_put(clk);
	clk = clk_get(NULL, "bus");
	KUNIT_EXPECT_EQ(test, clk_get_rate(clk), 1UL);
	clk_put(clk);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(clk_get(NULL, "other")), -ENOENT);
	KUNIT_EXPECT_NULL(test, clk_get_optional(NULL, "other"));
	clk = devm_clk_get_enabled(&device->dev, NULL);
	KUNIT_EXPECT_TRUE(test, clk_hw_is_enabled(two));
	platform_device_unregister(device);
	KUNIT_EXPECT_FALSE(test, clk_hw_is_enabled(two));
	clkdev_drop(lookups[0]);
	clkdev_drop(lookups[1]);
	clk_hw_unregister_fixed_rate(one);
	clk_hw_unregister_fixed_rate(two);
}

static struct kunit_case clocks_cases[] = {
	KUNIT_CASE(test_counts_reach_the_parents), KUNIT_CASE(test_dividers),
	KUNIT_CASE(test_rates_spread), KUNIT_CASE(test_multiplexers),
	KUNIT_CASE(test_parents_that_come_later), KUNIT_CASE(test_mistakes_and_refusals),
	KUNIT_CASE(test_users_find_their_clock), { }
};

static struct kunit_suite clocks_suite = {
	.name = "clocks", .exit = clear, .test_cases = clocks_cases,
};
kunit_test_suite(clocks_suite);
