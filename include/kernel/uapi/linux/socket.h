/* SPDX-License-Identifier: MIT */
#include <linux/socket.h>
