/* SPDX-License-Identifier: MIT */
#ifndef _INET_COMMON_H
#define _INET_COMMON_H

#include <linux/net.h>
#include <linux/netdev_features.h>
#include <linux/types.h>
#include <net/sock.h>

#endif
