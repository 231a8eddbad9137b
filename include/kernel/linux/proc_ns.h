/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_PROC_NS_H
#define _LINUX_PROC_NS_H

#include <linux/nsproxy.h>

#endif
