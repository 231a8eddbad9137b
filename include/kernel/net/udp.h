/* SPDX-License-Identifier: MIT */
#ifndef _UDP_H
#define _UDP_H

#include <linux/dev_printk.h>
#include <linux/file.h>
#include <linux/hashtable.h>
#include <linux/ioport.h>
#include <linux/ipv6.h>
#include <linux/pid.h>
#include <linux/poll.h>
#include <linux/udp.h>
#include <linux/uuid.h>
#include <net/ip.h>
#include <net/sock.h>

#endif
