/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_UTS_H
#define KERNEL_LINUX_UTS_H

#define UTS_SYSNAME "Linux"
#define UTS_NODENAME "(none)"
#define UTS_DOMAINNAME "(none)"

#endif
