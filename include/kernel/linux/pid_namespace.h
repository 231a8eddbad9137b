/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_PID_NAMESPACE_H
#define _LINUX_PID_NAMESPACE_H

#include <linux/pid.h>

#endif
