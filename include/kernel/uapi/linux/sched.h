/* SPDX-License-Identifier: MIT */
#include <linux/sched.h>
