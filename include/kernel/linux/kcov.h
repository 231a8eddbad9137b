/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_KCOV_H
#define KERNEL_LINUX_KCOV_H

#define kcov_remote_start(handle) ((void)(handle))
#define kcov_remote_stop() ((void)0)

#endif
