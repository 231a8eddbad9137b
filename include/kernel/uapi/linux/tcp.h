/* SPDX-License-Identifier: MIT */
#include <linux/tcp.h>
