// SPDX-License-Identifier: MIT
/* Targets of the device mapper: see linux/device-mapper.h. cf. Linux drivers/md/dm-target.c. */
#include <linux/device-mapper.h>
#include <linux/errno.h>
#include <linux/kstrtox.h>
#include <linux/mutex.h>
#include <linux/string.h>

static LIST_HEAD(targets);		/* Sync: lock */
static DEFINE_MUTEX(lock);

static struct target_type *find_locked(const char *name)
{
	struct target_type *target;

	list_for_each_entry(target, &targets, list)
		if (!strcmp(target->name, name))
			return target;
	return NULL;
}

int dm_register_target(struct target_type *target)
{
	int error = -EEXIST;

	mutex_lock(&lock);
	if (!find_locked(target->name)) {
		list_add(&target->list, &targets);
		error = 0;
	}
	mutex_unlock(&lock);
	return error;
}

void dm_unregister_target(struct target_type *target)
{
	bool found;

	mutex_lock(&lock);
	found = find_locked(target->name) != NULL;
	if (found)
		list_del(&target->list);
	mutex_unlock(&lock);
	if (!found)
		pr_crit("device-mapper: the target %s is not registered\n", target->name);
	BUG_ON(!found);
}

const char *dm_shift_arg(struct dm_arg_set *set)
{
	if (!set->argc)
		return NULL;
	set->argc--;
	return *set->argv++;
}

void dm_consume_args(struct dm_arg_set *set, unsigned int number)
{
	BUG_ON(set->argc < number);
	set->argc -= number;
	set->argv += number;
}

static int read_number(const struct dm_arg *arg, struct dm_arg_set *set, unsigned int *value,
		       char **error, bool grouped)
{
	const char *text = dm_shift_arg(set);

	if (!text || kstrtouint(text, 10, value) || *value < arg->min || *value > arg->max ||
	    (grouped && set->argc < *value)) {
		*error = arg->error;
		return -EINVAL;
	}
	return 0;
}

int dm_read_arg(const struct dm_arg *arg, struct dm_arg_set *set, unsigned int *value,
		char **error)
{
	return read_number(arg, set, value, error, false);
}

int dm_read_arg_group(const struct dm_arg *arg, struct dm_arg_set *set, unsigned int *number,
		      char **error)
{
	return read_number(arg, set, number, error, true);
}
