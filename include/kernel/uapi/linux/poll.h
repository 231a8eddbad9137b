/* SPDX-License-Identifier: MIT */
#include <linux/poll.h>
