/* SPDX-License-Identifier: MIT */
#include "base/linux_version.h"

#include "base/compiler.h"

unsigned int linux_version __read_mostly = LINUX_VERSION_OF(6, 12);

FOR_KERNEL(linux_version);
