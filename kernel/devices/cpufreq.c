// SPDX-License-Identifier: MIT
/* Governors of frequencies, which govern nothing. cf. Linux drivers/cpufreq/cpufreq.c. */
#include <linux/cpufreq.h>
#include <linux/errno.h>
#include <linux/mutex.h>
#include <linux/string.h>

static LIST_HEAD(governors);		/* Sync: lock */
static DEFINE_MUTEX(lock);

int cpufreq_register_governor(struct cpufreq_governor *governor)
{
	struct cpufreq_governor *other;
	int error = 0;

	if (!governor)
		return -EINVAL;
	mutex_lock(&lock);
	list_for_each_entry(other, &governors, governor_list)
		if (!strncasecmp(other->name, governor->name, CPUFREQ_NAME_LEN))
			error = -EBUSY;
	if (!error)
		list_add(&governor->governor_list, &governors);
	mutex_unlock(&lock);
	return error;
}

void cpufreq_unregister_governor(struct cpufreq_governor *governor)
{
	if (!governor)
		return;
	mutex_lock(&lock);
	list_del(&governor->governor_list);
	mutex_unlock(&lock);
}
