/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_STDARG_H
#define KERNEL_LINUX_STDARG_H

#include <stdarg.h>

#endif
