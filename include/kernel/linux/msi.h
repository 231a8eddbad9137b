/* SPDX-License-Identifier: MIT */
#ifndef LINUX_MSI_H
#define LINUX_MSI_H

#include <linux/cpumask.h>
#include <linux/irqdomain.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/xarray.h>

struct msi_msg {
	u32 address_lo, address_hi, data;
};

struct msi_desc {
	unsigned int irq;
	struct msi_msg msg;
};

#endif
