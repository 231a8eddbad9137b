/* SPDX-License-Identifier: MIT */
/* Host controllers of a machine without USB: none can be made. */
#ifndef __USB_CORE_HCD_H
#define __USB_CORE_HCD_H

#include <linux/interrupt.h>
#include <linux/usb.h>

struct usb_hcd;

#define HCD_MEMORY 0x0001
#define HCD_USB11 0x0010
#define HCD_USB2 0x0020
#define HCD_USB3 0x0040

struct hc_driver {
	const char *description, *product_desc;
	size_t hcd_priv_size;
	irqreturn_t (*irq)(struct usb_hcd *hcd);
	int flags;
	int (*reset)(struct usb_hcd *hcd);
	int (*start)(struct usb_hcd *hcd);
	void (*stop)(struct usb_hcd *hcd);
	void (*shutdown)(struct usb_hcd *hcd);
	int (*get_frame_number)(struct usb_hcd *hcd);
	int (*urb_enqueue)(struct usb_hcd *hcd, struct urb *urb, gfp_t gfp);
	int (*urb_dequeue)(struct usb_hcd *hcd, struct urb *urb, int status);
	void (*endpoint_disable)(struct usb_hcd *hcd, struct usb_host_endpoint *endpoint);
	int (*hub_status_data)(struct usb_hcd *hcd, char *buffer);
	int (*hub_control)(struct usb_hcd *hcd, u16 type, u16 value, u16 index, char *buffer,
			   u16 n);
	int (*bus_suspend)(struct usb_hcd *hcd);
	int (*bus_resume)(struct usb_hcd *hcd);
};

struct usb_hcd {
	struct usb_bus self;
	const char *product_desc;
	int speed, state;
	unsigned int irq;
	void __iomem *regs;
	resource_size_t rsrc_start, rsrc_len;
	const struct hc_driver *driver;
	unsigned long hcd_priv[] __attribute__((aligned(sizeof(s64))));
};

#define usb_disabled() 1
#define usb_create_hcd(driver, dev, name) \
	((void)(driver), (void)(dev), (void)(name), (struct usb_hcd *)NULL)
#define usb_add_hcd(hcd, irq, flags) ((void)(hcd), (void)(irq), (void)(flags), -ENODEV)
#define usb_remove_hcd(hcd) ((void)(hcd))
#define usb_put_hcd(hcd) ((void)(hcd))
#define bus_to_hcd(bus) container_of(bus, struct usb_hcd, self)
#define hcd_to_bus(hcd) (&(hcd)->self)

#endif
