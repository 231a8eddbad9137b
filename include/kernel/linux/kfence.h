/* SPDX-License-Identifier: MIT */
/* As without CONFIG_KFENCE. */
#ifndef _LINUX_KFENCE_H
#define _LINUX_KFENCE_H

#define is_kfence_address(addr) ((void)(addr), false)
#define kfence_free(addr) ((void)(addr), false)
#define kfence_ksize(addr) ((void)(addr), 0UL)

#endif
