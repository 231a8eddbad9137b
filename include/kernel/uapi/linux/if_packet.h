/* SPDX-License-Identifier: MIT */
#include <linux/if_packet.h>
