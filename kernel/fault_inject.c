// SPDX-License-Identifier: MIT
/* Deciding when something should fail; see linux/fault-inject.h. */
#include <stdio.h>

#include <linux/atomic.h>
#include <linux/fault-inject.h>
#include <linux/printk.h>
#include <linux/random.h>

int setup_fault_attr(struct fault_attr *attr, char *text)
{
	unsigned long probability, interval;
	int times, space;

	if (sscanf(text, "%lu,%lu,%d,%d", &interval, &probability, &space, &times) < 4) {
		pr_warn("FAULT_INJECTION: failed to parse arguments\n");
		return 0;
	}
	attr->probability = probability;
	attr->interval = interval;
	atomic_set(&attr->times, times);
	atomic_set(&attr->space, space);
	return 1;
}

bool should_fail_ex(struct fault_attr *attr, ssize_t size, int flags)
{
	if (!attr->probability || !atomic_read(&attr->times))
		return false;
	if (atomic_read(&attr->space) > size) {
		atomic_sub((int)size, &attr->space);
		return false;
	}
	if (attr->interval > 1 && ++attr->count % attr->interval)
		return false;
	if (get_random_u32() % 100 >= attr->probability)
		return false;
	if (!(flags & FAULT_NOWARN) && attr->verbose > 0)
		pr_notice("FAULT_INJECTION: forcing a failure, interval %lu, probability %lu, "
			  "space %d, times %d\n", attr->interval, attr->probability,
			  atomic_read(&attr->space), atomic_read(&attr->times));
	if (attr->verbose > 1 && !(flags & FAULT_NOWARN))
		dump_stack();
	if (atomic_read(&attr->times) != -1)
		atomic_add_unless(&attr->times, -1, 0);
	return true;
}
