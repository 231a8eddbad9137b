/* SPDX-License-Identifier: MIT */
/* As without CONFIG_CPUSETS: a task may use each processor and each node. */
#ifndef _LINUX_CPUSET_H
#define _LINUX_CPUSET_H

#include <asm/desc.h>
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/sched/topology.h>
#include <linux/tracepoint.h>

#define cpusets_enabled() false
#define cpuset_num_cpus(cgroup) ((void)(cgroup), num_online_cpus())
#define cpuset_cpus_allowed(task, mask) ((void)(task), cpumask_copy(mask, cpu_possible_mask))
#define cpuset_mems_allowed(task) ((void)(task), node_possible_map)
#define set_mems_allowed(nodes) ((void)(nodes))

#endif
