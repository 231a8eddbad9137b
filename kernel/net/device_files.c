// SPDX-License-Identifier: MIT
/* What programs see of network devices: /sys/class/net, /proc/net/dev. */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/proc_fs.h>
#include <linux/rtnetlink.h>
#include <linux/seq_file.h>
#include "devices.h"

static struct class *class;		/* Sync: rtnl_lock(), like the rest */
static struct proc_dir_entry *folder;
static int nr_shown;

static struct net_device *to_net_device(struct device *dev)
{
	return container_of(dev, struct net_device, dev);
}

#define SHOW(name, format, ...)							\
	static ssize_t name##_show(struct device *dev, struct device_attribute *attr, \
				   char *buffer)				\
	{									\
		const struct net_device *netdev = to_net_device(dev);		\
										\
		(void)attr;							\
		return sysfs_emit(buffer, format "\n", __VA_ARGS__);		\
	}
SHOW(ifindex, "%d", netdev->ifindex)
SHOW(type, "%d", netdev->type)
SHOW(addr_len, "%d", netdev->addr_len)
SHOW(address, "%*phC", netdev->addr_len, netdev->dev_addr)
SHOW(flags, "0x%x", netdev->flags)
SHOW(mtu, "%u", netdev->mtu)
SHOW(operstate, "%s", !netif_running(netdev) ? "down" : netif_carrier_ok(netdev) ? "up" : "down")

static ssize_t flags_store(struct device *dev, struct device_attribute *attr, const char *buffer,
			   size_t n)
{
	struct net_device *netdev = to_net_device(dev);
	unsigned long flags;
	int error = kstrtoul(buffer, 0, &flags);

	(void)attr;
	if (error)
		return error;
	rtnl_lock();
	if (flags & IFF_UP)
		error = dev_open(netdev, NULL);
	else
		dev_close(netdev);
	rtnl_unlock();
	return error ? error : (ssize_t)n;
}

static ssize_t mtu_store(struct device *dev, struct device_attribute *attr, const char *buffer,
			 size_t n)
{
	unsigned int mtu;
	int error = kstrtouint(buffer, 0, &mtu);

	(void)attr;
	if (error)
		return error;
	rtnl_lock();
	error = dev_set_mtu(to_net_device(dev), (int)mtu);
	rtnl_unlock();
	return error ? error : (ssize_t)n;
}

static DEVICE_ATTR_RO(ifindex);
static DEVICE_ATTR_RO(type);
static DEVICE_ATTR_RO(addr_len);
static DEVICE_ATTR_RO(address);
static DEVICE_ATTR_RO(operstate);
static DEVICE_ATTR_RW(flags);
static DEVICE_ATTR_RW(mtu);

static struct attribute *net_attrs[] = {
	&dev_attr_ifindex.attr, &dev_attr_type.attr, &dev_attr_addr_len.attr,
	&dev_attr_address.attr, &dev_attr_operstate.attr, &dev_attr_flags.attr,
	&dev_attr_mtu.attr, NULL,
};
ATTRIBUTE_GROUPS(net);

static int show_counters(struct seq_file *m, void *unused)
{
	struct rtnl_link_stats64 s;
	struct net_device *dev;

	(void)unused;
	seq_puts(m, "Inter-|   Receive                            "
		 "                    |  Transmit\n"
		 " face |bytes    packets errs drop fifo frame "
		 "compressed multicast|bytes    packets errs "
		 "drop fifo colls carrier compressed\n");
	rtnl_lock();
	for_each_netdev(&init_net, dev) {
		dev_get_stats(dev, &s);
		seq_printf(m, "%6s: %7llu %7llu %4llu %4llu %4llu %5llu %10llu %9llu "
			   "%8llu %7llu %4llu %4llu %4llu %5llu %7llu %10llu\n",
			   dev->name, s.rx_bytes, s.rx_packets, s.rx_errors,
			   s.rx_dropped + s.rx_missed_errors, s.rx_fifo_errors,
			   s.rx_length_errors + s.rx_over_errors + s.rx_crc_errors +
			   s.rx_frame_errors, s.rx_compressed, s.multicast, s.tx_bytes,
			   s.tx_packets, s.tx_errors, s.tx_dropped, s.tx_fifo_errors,
			   s.collisions, s.tx_carrier_errors + s.tx_aborted_errors +
			   s.tx_window_errors + s.tx_heartbeat_errors, s.tx_compressed);
	}
	rtnl_unlock();
	return 0;
}

static void drop_folders(void)
{
	if (--nr_shown)
		return;
	proc_remove(folder);
	class_destroy(class);
}

static int take_folders(void)
{
	if (nr_shown++)
		return 0;
	class = class_create("net");
	if (IS_ERR(class)) {
		nr_shown--;
		return (int)PTR_ERR(class);
	}
	/* Where a module has such a folder itself, its own stays. */
	folder = proc_mkdir("net", NULL);
	if (folder)
		(void)proc_create_single("dev", 0444, folder, show_counters);
	return 0;
}

int show_netdev(struct net_device *dev)
{
	int error = take_folders();

	if (error)
		return error;
	dev->dev.class = class;
	dev->dev.groups = net_groups;
	error = dev_set_name(&dev->dev, "%s", dev->name);
	if (!error)
		error = device_add(&dev->dev);
	if (error)
		drop_folders();
	return error;
}

void hide_netdev(struct net_device *dev)
{
	device_del(&dev->dev);
	drop_folders();
}
