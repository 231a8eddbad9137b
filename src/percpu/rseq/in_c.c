/* SPDX-License-Identifier: MIT */
#include "percpu/percpu.h"

#if RSEQ_IN_C

#include "os/lock.h"
#include "os/os.h"
#include "percpu/locked.h"

uint32_t rseq_index(void)
{
	return os_current_cpu();
}

int rseq_c_begin(void)
{
	unsigned int index = rseq_index();

	/* If the slot is made meanwhile, this sequence still goes without it. */
	if (index >= percpu_nr_slots())
		return INT32_MAX;
	return locked_slot_try(index) ? (int)index : -1;
}

void rseq_c_end(int index)
{
	if (index != INT32_MAX)
		locked_slot_release((unsigned int)index);
}

bool rseq_c_restart_all(void)
{
	if (!lock_may_wait(RANK_SLOT))
		return false;
	locked_all_release(locked_all_acquire());
	return true;
}

#endif
