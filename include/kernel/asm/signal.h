/* SPDX-License-Identifier: MIT */
#include <linux/signal.h>
