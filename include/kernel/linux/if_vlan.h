/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_IF_VLAN_H
#define KERNEL_LINUX_IF_VLAN_H

#include <linux/bug.h>
#include <linux/etherdevice.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>

#define VLAN_HLEN 4
#define VLAN_ETH_HLEN 18
#define VLAN_ETH_ZLEN 64
#define VLAN_ETH_DATA_LEN 1500
#define VLAN_ETH_FRAME_LEN 1518
#define VLAN_PRIO_MASK 0xe000
#define VLAN_PRIO_SHIFT 13
#define VLAN_CFI_MASK 0x1000
#define VLAN_VID_MASK 0x0fff
#define VLAN_N_VID 4096

struct vlan_hdr {
	__be16 h_vlan_TCI;
	__be16 h_vlan_encapsulated_proto;
};

struct vlan_ethhdr {
	unsigned char h_dest[ETH_ALEN], h_source[ETH_ALEN];
	__be16 h_vlan_proto;
	__be16 h_vlan_TCI;
	__be16 h_vlan_encapsulated_proto;
};

/* No packet has come from a network, so none has a tag beside it. */
#define is_vlan_dev(dev) ((void)(dev), false)
#define skb_vlan_tag_present(skb) ((void)(skb), 0)
#define skb_vlan_tag_get(skb) ((void)(skb), 0)

#endif
