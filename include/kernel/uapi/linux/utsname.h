/* SPDX-License-Identifier: MIT */
#include <linux/utsname.h>
