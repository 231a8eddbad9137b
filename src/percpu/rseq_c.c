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

	if (index < percpu.nr_slots && !locked_slot_try(index))
		return -1;
	return (int)index;
}

void rseq_c_end(int index)
{
	if ((unsigned int)index < percpu.nr_slots)
		locked_slot_release((unsigned int)index);
}

bool rseq_c_restart_all(void)
{
	if (!lock_may_wait(RANK_SLOT))
		return false;
	locked_all_acquire();
	locked_all_release();
	return true;
}

#endif
