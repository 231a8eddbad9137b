/* SPDX-License-Identifier: MIT */
#ifndef _UDP_H
#define _UDP_H

#include <linux/udp.h>
#include <net/ip.h>
#include <net/sock.h>

#endif
