// SPDX-License-Identifier: MIT
/*
 * Buses of machines that this one is not: drivers can be registered, and no device is on them. See
 * linux/pci.h, linux/usb.h, linux/hid.h and so on.
 */
#include <linux/hid.h>
#include <linux/pci.h>
#include <linux/rpmsg.h>
#include <linux/serio.h>
#include <linux/usb.h>
#include <linux/wmi.h>

const struct bus_type pci_bus_type = { .name = "pci" };
const struct bus_type usb_bus_type = { .name = "usb" };
const struct bus_type hid_bus_type = { .name = "hid" };
const struct bus_type rpmsg_bus_type = { .name = "rpmsg" };
const struct bus_type serio_bus = { .name = "serio" };
const struct bus_type usermm_wmi_bus_type = { .name = "wmi" };
