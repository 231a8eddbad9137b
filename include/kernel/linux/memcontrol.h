/* SPDX-License-Identifier: MIT */
/* As without CONFIG_MEMCG: nothing is charged. */
#ifndef _LINUX_MEMCONTROL_H
#define _LINUX_MEMCONTROL_H

#include <linux/device/devres.h>
#include <linux/error-injection.h>
#include <linux/eventfd.h>
#include <linux/kernel_stat.h>
#include <linux/kmod.h>
#include <linux/kmsan.h>
#include <linux/kobject.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/folio_batch.h>
#include <linux/sched/task_stack.h>
#include <linux/sched/topology.h>
#include <linux/seq_file.h>
#include <linux/u64_stats_sync.h>
#include <linux/vmstat.h>
#include <linux/writeback.h>

struct mem_cgroup;
#define mem_cgroup_disabled() true
#define get_mem_cgroup_from_mm(mm) ((struct mem_cgroup *)NULL)
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 2, 0)
#define mem_cgroup_from_slab_obj(object) ((void)(object), (struct mem_cgroup *)NULL)
#else
USERMM_REMOVED(mem_cgroup_from_slab_obj, "7.2", "mem_cgroup_from_virt()")
#endif
#define memcg_kmem_online() false
#define memcg_kmem_id(memcg) ((void)(memcg), -1)
#define set_shrinker_bit(memcg, nid, id) ((void)(memcg), (void)(nid), (void)(id))
#define mem_cgroup_put(memcg) ((void)(memcg))
#define set_active_memcg(memcg) ((void)(memcg), (struct mem_cgroup *)NULL)

static inline struct mem_cgroup *mem_cgroup_from_virt(void *object)
{
	(void)object;
	return NULL;
}

#endif
