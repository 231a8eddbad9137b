/* SPDX-License-Identifier: MIT */
#include <linux/if.h>
