/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_TOPOLOGY_H
#define KERNEL_ASM_TOPOLOGY_H

#include <linux/topology.h>

#endif
