/* SPDX-License-Identifier: MIT */
#include <linux/input-event-codes.h>
