/* SPDX-License-Identifier: MIT */
#ifndef _TCP_H
#define _TCP_H

#include <linux/tcp.h>
#include <net/ip.h>
#include <net/sock.h>

#endif
