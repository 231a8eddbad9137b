// SPDX-License-Identifier: MIT
/*
 * The trace point "console" of the log. Readers walk the list of probes under RCU, since any thread
 * may print, and fault handlers print too.
 */
#include <linux/errno.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <trace/events/printk.h>

#include "module/module_run.h"

struct probe {
	struct list_head list;
	struct rcu_head rcu;
	void (*function)(void *data, const char *text, size_t length);
	void *data;
};

static LIST_HEAD(probes);
static DEFINE_MUTEX(probes_lock);	/* held to change the list */

static struct probe *find(void (*function)(void *data, const char *text, size_t length),
			  const void *data)
{
	struct probe *probe;

	list_for_each_entry(probe, &probes, list)
		if (probe->function == function && probe->data == data)
			return probe;
	return NULL;
}

int register_trace_console(void (*function)(void *data, const char *text, size_t length),
			   void *data)
{
	struct probe *probe = kmalloc(sizeof(*probe), GFP_KERNEL);
	bool exists;

	if (!probe)
		return -ENOMEM;
	probe->function = function;
	probe->data = data;
	mutex_lock(&probes_lock);
	exists = find(function, data);
	if (!exists)
		list_add_tail_rcu(&probe->list, &probes);
	mutex_unlock(&probes_lock);
	if (exists)
		kfree(probe);
	return exists ? -EEXIST : 0;
}

int unregister_trace_console(void (*function)(void *data, const char *text, size_t length),
			     void *data)
{
	struct probe *probe;

	mutex_lock(&probes_lock);
	probe = find(function, data);
	if (probe)
		list_del_rcu(&probe->list);
	mutex_unlock(&probes_lock);
	if (!probe)
		return -ENOENT;
	kfree_rcu(probe, rcu);
	return 0;
}

void trace_console_text(const char *text, size_t length)
{
	struct probe *probe;

	/* rcu_read_lock() makes the thread a task; do so only if there are probes. */
	if (list_empty(&probes))
		return;
	rcu_read_lock();
	list_for_each_entry_rcu(probe, &probes, list)
		probe->function(probe->data, text, length);
	rcu_read_unlock();
}
