/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_PROFILE_H
#define _LINUX_PROFILE_H

#include <asm/errno.h>
#include <linux/cache.h>
#include <linux/init.h>
#include <linux/kernel.h>

#define CPU_PROFILING 1
#define SCHED_PROFILING 2
#define prof_on 0
#define profile_tick(type) ((void)(type))
#define profile_hit(type, ip) ((void)(type), (void)(ip))

#endif
