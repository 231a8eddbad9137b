/* SPDX-License-Identifier: MIT */
#ifndef __LINUX_USB_INPUT_H
#define __LINUX_USB_INPUT_H

#include <linux/input.h>
#include <linux/usb.h>
#include <linux/usb/ch9.h>

static inline void usb_to_input_id(const struct usb_device *dev, struct input_id *id)
{
	id->bustype = BUS_USB;
	id->vendor = dev->descriptor.idVendor;
	id->product = dev->descriptor.idProduct;
	id->version = dev->descriptor.bcdDevice;
}

#endif
