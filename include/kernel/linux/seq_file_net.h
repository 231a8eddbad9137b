/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_SEQ_FILE_NET_H
#define KERNEL_LINUX_SEQ_FILE_NET_H

#include <linux/seq_file.h>
#include <linux/stackdepot.h>
#include <net/net_namespace.h>

/* There is one namespace. */
#define seq_file_net(seq) ((void)(seq), &init_net)
#define seq_file_single_net(seq) ((void)(seq), &init_net)

#endif
