// SPDX-License-Identifier: MIT
/*
 * Measures what UML pays for each per-CPU operation: it blocks signals and unblocks them, by calls.
 * A kernel on real hardware needs one instruction instead.
 */
#include <linux/irqflags.h>
#include <linux/module.h>

#include "../../bench/loops/measure.h"

static __always_inline void block_body(struct bench_run *run)
{
	uint64_t start = ticks_begin();

	for (unsigned long i = 0; i < run->n; i++) {
		unsigned long flags;

		local_irq_save(flags);
		local_irq_restore(flags);
	}
	run->ticks[0] = ticks_end() - start;
}

BENCH_PLACED(block_loops, block_body(run));

static int __init signals_cost_init(void)
{
	static struct measure_case c = { .loops = block_loops, .step = 1, .n = 20000 };

	measure_init(true);
	measure_cases(&c, 1, MEASURE_MAX_ROUNDS);
	measure_row("signals_blocked", 1, c.cost[0]);
	return -EAGAIN;
}

module_init(signals_cost_init);
MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("Cost of blocking and unblocking signals");
