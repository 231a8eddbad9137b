/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_STRINGIFY_H
#define KERNEL_LINUX_STRINGIFY_H

#define __stringify_1(x...) #x
#define __stringify(x...) __stringify_1(x)

#endif
