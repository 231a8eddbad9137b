/* SPDX-License-Identifier: MIT */
/* What a network device's driver tells programs. Nobody asks. */
#ifndef KERNEL_LINUX_ETHTOOL_H
#define KERNEL_LINUX_ETHTOOL_H

#include <linux/bitmap.h>
#include <linux/compat.h>
#include <linux/netlink.h>
#include_next <linux/ethtool.h>

struct net_device;
struct kernel_ethtool_ringparam;

struct ethtool_link_ksettings {
	struct {
		u32 speed;
		u8 duplex, port, phy_address, autoneg, mdio_support;
	} base;
	struct {
		unsigned long supported[2], advertising[2], lp_advertising[2];
	} link_modes;
};

enum ethtool_phys_id_state { ETHTOOL_ID_INACTIVE, ETHTOOL_ID_ACTIVE, ETHTOOL_ID_ON,
			     ETHTOOL_ID_OFF };

struct ethtool_ops {
	u32 supported_coalesce_params;
	void (*get_drvinfo)(struct net_device *dev, struct ethtool_drvinfo *info);
	int (*get_regs_len)(struct net_device *dev);
	void (*get_regs)(struct net_device *dev, struct ethtool_regs *regs, void *to);
	void (*get_wol)(struct net_device *dev, struct ethtool_wolinfo *wol);
	int (*set_wol)(struct net_device *dev, struct ethtool_wolinfo *wol);
	u32 (*get_msglevel)(struct net_device *dev);
	void (*set_msglevel)(struct net_device *dev, u32 level);
	int (*nway_reset)(struct net_device *dev);
	u32 (*get_link)(struct net_device *dev);
	int (*get_eeprom_len)(struct net_device *dev);
	int (*get_eeprom)(struct net_device *dev, struct ethtool_eeprom *eeprom, u8 *to);
	void (*get_strings)(struct net_device *dev, u32 set, u8 *to);
	int (*get_sset_count)(struct net_device *dev, int set);
	void (*get_ethtool_stats)(struct net_device *dev, struct ethtool_stats *stats, u64 *to);
	int (*get_link_ksettings)(struct net_device *dev, struct ethtool_link_ksettings *settings);
	int (*set_link_ksettings)(struct net_device *dev,
				  const struct ethtool_link_ksettings *settings);
};

static inline u32 ethtool_op_get_link(struct net_device *dev)
{
	return netif_carrier_ok(dev) ? 1 : 0;
}

#define ethtool_link_ksettings_zero_link_mode(settings, name) \
	memset((settings)->link_modes.name, 0, sizeof((settings)->link_modes.name))
#define ethtool_link_ksettings_add_link_mode(settings, name, mode) \
	__set_bit(ETHTOOL_LINK_MODE_##mode##_BIT, (settings)->link_modes.name)

#endif
