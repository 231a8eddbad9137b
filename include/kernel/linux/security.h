/* SPDX-License-Identifier: MIT */
/* As without CONFIG_SECURITY. */
#ifndef __LINUX_SECURITY_H
#define __LINUX_SECURITY_H

#include <linux/capability.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/slab.h>
#include <linux/string.h>

#endif
