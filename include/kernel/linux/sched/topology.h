/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_SCHED_TOPOLOGY_H
#define KERNEL_LINUX_SCHED_TOPOLOGY_H

#include <asm/topology.h>
#include <linux/memory_hotplug.h>
#include <linux/sched.h>
#include <linux/topology.h>

#endif
