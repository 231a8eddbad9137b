/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_MODULELOADER_H
#define _LINUX_MODULELOADER_H

#include <linux/module.h>

#endif
