/* SPDX-License-Identifier: MIT */
#include <linux/uuid.h>
