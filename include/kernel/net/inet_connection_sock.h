/* SPDX-License-Identifier: MIT */
#ifndef _INET_CONNECTION_SOCK_H
#define _INET_CONNECTION_SOCK_H

#include <linux/poll.h>
#include <linux/timer.h>
#include <net/inet_sock.h>

#endif
