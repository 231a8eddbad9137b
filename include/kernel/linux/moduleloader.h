/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_MODULELOADER_H
#define _LINUX_MODULELOADER_H

#include <asm/ptrace.h>
#include <linux/compat.h>
#include <linux/module.h>

#endif
