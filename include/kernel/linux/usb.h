/* SPDX-License-Identifier: MIT */
/*
 * USB drivers. The machine has no USB, so probe() is never called, and what sends something to a
 * device fails with -ENODEV.
 */
#ifndef __LINUX_USB_H
#define __LINUX_USB_H

#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/dev_printk.h>
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/interrupt.h>
#include <linux/ioport.h>
#include <linux/kref.h>
#include <linux/mod_devicetable.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/pm_runtime.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/socket.h>
#include <linux/types.h>
#include <linux/usb/ch9.h>
#include <usermm/compiler.h>

#define USB_MAJOR 180
#define USB_MAXENDPOINTS 30
#define USB_ISO_ASAP 0x0002
#define URB_SHORT_NOT_OK 0x0001
#define URB_ISO_ASAP 0x0002
#define URB_NO_TRANSFER_DMA_MAP 0x0004
#define URB_ZERO_PACKET 0x0040
#define URB_NO_INTERRUPT 0x0080
#define URB_FREE_BUFFER 0x0100
#define USB_CTRL_GET_TIMEOUT 5000
#define USB_CTRL_SET_TIMEOUT 5000
#define PIPE_ISOCHRONOUS 0
#define PIPE_INTERRUPT 1
#define PIPE_CONTROL 2
#define PIPE_BULK 3

struct usb_host_endpoint {
	struct usb_endpoint_descriptor desc;
	unsigned char *extra;
	int extralen, enabled;
};

struct usb_host_interface {
	struct usb_interface_descriptor desc;
	int extralen;
	unsigned char *extra;
	struct usb_host_endpoint *endpoint;
	char *string;
};

struct usb_interface {
	struct usb_host_interface *altsetting, *cur_altsetting;
	unsigned int num_altsetting;
	int minor;
	unsigned int needs_remote_wakeup : 1;
	struct device dev, *usb_dev;
};

struct usb_host_config {
	struct usb_config_descriptor desc;
	char *string;
	struct usb_interface *interface[32];
};

struct usb_bus {
	struct device *controller;
	int busnum;
	const char *bus_name;
};

struct usb_device {
	int devnum;
	char devpath[16];
	u32 route;
	enum usb_device_state state;
	enum usb_device_speed speed;
	unsigned int toggle[2];
	struct usb_device *parent;
	struct usb_bus *bus;
	struct usb_host_endpoint ep0;
	struct device dev;
	struct usb_device_descriptor descriptor;
	struct usb_host_config *config, *actconfig;
	struct usb_host_endpoint *ep_in[16], *ep_out[16];
	u8 portnum;
	char *product, *manufacturer, *serial;
	int maxchild;
};

struct usb_iso_packet_descriptor {
	unsigned int offset, length, actual_length;
	int status;
};

struct usb_anchor {
	struct list_head urb_list;
	wait_queue_head_t wait;
	spinlock_t lock;
};

struct urb;
typedef void (*usb_complete_t)(struct urb *urb);

struct urb {
	struct kref kref;
	struct usb_device *dev;
	struct usb_host_endpoint *ep;
	unsigned int pipe;
	int status;
	unsigned int transfer_flags;
	void *transfer_buffer;
	dma_addr_t transfer_dma;
	u32 transfer_buffer_length, actual_length;
	unsigned char *setup_packet;
	dma_addr_t setup_dma;
	int start_frame, number_of_packets, interval, error_count;
	void *context;
	usb_complete_t complete;
	struct usb_anchor *anchor;
	struct usb_iso_packet_descriptor iso_frame_desc[];
};

struct usb_class_driver {
	char *name;
	char *(*devnode)(const struct device *dev, umode_t *mode);
	const struct file_operations *fops;
	int minor_base;
};

struct usb_driver {
	const char *name;
	int (*probe)(struct usb_interface *interface, const struct usb_device_id *id);
	void (*disconnect)(struct usb_interface *interface);
	int (*unlocked_ioctl)(struct usb_interface *interface, unsigned int code, void *buffer);
	int (*suspend)(struct usb_interface *interface, pm_message_t message);
	int (*resume)(struct usb_interface *interface);
	int (*reset_resume)(struct usb_interface *interface);
	int (*pre_reset)(struct usb_interface *interface);
	int (*post_reset)(struct usb_interface *interface);
	void (*shutdown)(struct usb_interface *interface);
	const struct usb_device_id *id_table;
	const struct attribute_group **dev_groups;
	struct device_driver driver;
	unsigned int no_dynamic_id : 1, supports_autosuspend : 1, disable_hub_initiated_lpm : 1,
		     soft_unbind : 1;
};

extern const struct bus_type usb_bus_type USERMM_API(usb_bus_type);

#define USB_DEVICE_ID_MATCH_DEVICE \
	(USB_DEVICE_ID_MATCH_VENDOR | USB_DEVICE_ID_MATCH_PRODUCT)
#define USB_DEVICE_ID_MATCH_INT_INFO \
	(USB_DEVICE_ID_MATCH_INT_CLASS | USB_DEVICE_ID_MATCH_INT_SUBCLASS | \
	 USB_DEVICE_ID_MATCH_INT_PROTOCOL)
#define USB_DEVICE(vendor, product) \
	.match_flags = USB_DEVICE_ID_MATCH_DEVICE, .idVendor = (vendor), .idProduct = (product)
#define USB_DEVICE_VER(vendor, product, low, high) \
	USB_DEVICE(vendor, product), .bcdDevice_lo = (low), .bcdDevice_hi = (high)
#define USB_DEVICE_INTERFACE_NUMBER(vendor, product, number) \
	.match_flags = USB_DEVICE_ID_MATCH_DEVICE | USB_DEVICE_ID_MATCH_INT_NUMBER, \
	.idVendor = (vendor), .idProduct = (product), .bInterfaceNumber = (number)
#define USB_INTERFACE_INFO(class, subclass, protocol) \
	.match_flags = USB_DEVICE_ID_MATCH_INT_INFO, .bInterfaceClass = (class), \
	.bInterfaceSubClass = (subclass), .bInterfaceProtocol = (protocol)
#define USB_DEVICE_AND_INTERFACE_INFO(vendor, product, class, subclass, protocol) \
	.match_flags = USB_DEVICE_ID_MATCH_DEVICE | USB_DEVICE_ID_MATCH_INT_INFO, \
	.idVendor = (vendor), .idProduct = (product), .bInterfaceClass = (class), \
	.bInterfaceSubClass = (subclass), .bInterfaceProtocol = (protocol)

static inline int usb_register_driver(struct usb_driver *driver, struct module *owner,
				      const char *module_name)
{
	(void)module_name;
	driver->driver.name = driver->name;
	driver->driver.bus = &usb_bus_type;
	driver->driver.owner = owner;
	return driver_register(&driver->driver);
}

#define usb_register(usb_driver_ptr) \
	usb_register_driver(usb_driver_ptr, THIS_MODULE, KBUILD_MODNAME)

static inline void usb_deregister(struct usb_driver *driver)
{
	driver_unregister(&driver->driver);
}

#define module_usb_driver(usb_driver) module_driver(usb_driver, usb_register, usb_deregister)

/* Files of interfaces: there is no interface, so no minor number is given. */
#define usb_register_dev(interface, class_driver) \
	((void)(interface), (void)(class_driver), -ENODEV)
#define usb_deregister_dev(interface, class_driver) ((void)(interface), (void)(class_driver))
#define usb_find_interface(driver, minor) \
	((void)(driver), (void)(minor), (struct usb_interface *)NULL)
#define usb_for_each_dev(data, function) ((void)(data), (void)(function), 0)

#define to_usb_interface(device) container_of(device, struct usb_interface, dev)
#define to_usb_device(device) container_of(device, struct usb_device, dev)
#define interface_to_usbdev(interface) to_usb_device((interface)->dev.parent)
#define usb_get_intfdata(interface) dev_get_drvdata(&(interface)->dev)
#define usb_set_intfdata(interface, data) dev_set_drvdata(&(interface)->dev, data)
#define usb_get_dev(udev) (udev)
#define usb_put_dev(udev) ((void)(udev))
#define usb_get_intf(interface) (interface)
#define usb_put_intf(interface) ((void)(interface))
#define usb_autopm_get_interface(interface) ((void)(interface), 0)
#define usb_autopm_put_interface(interface) ((void)(interface))
#define usb_autopm_get_interface_async(interface) ((void)(interface), 0)
#define usb_autopm_put_interface_async(interface) ((void)(interface))
#define usb_enable_autosuspend(udev) ((void)(udev))
#define usb_disable_autosuspend(udev) ((void)(udev))
#define usb_mark_last_busy(udev) ((void)(udev))
#define usb_lock_device(udev) device_lock(&(udev)->dev)
#define usb_unlock_device(udev) device_unlock(&(udev)->dev)

static inline unsigned int usermm_usb_pipe(const struct usb_device *dev, unsigned int endpoint,
					   unsigned int kind)
{
	return kind << 30 | (unsigned int)dev->devnum << 8 | endpoint << 15;
}

#define usb_sndctrlpipe(udev, ep) usermm_usb_pipe(udev, ep, PIPE_CONTROL)
#define usb_rcvctrlpipe(udev, ep) (usermm_usb_pipe(udev, ep, PIPE_CONTROL) | USB_DIR_IN)
#define usb_sndbulkpipe(udev, ep) usermm_usb_pipe(udev, ep, PIPE_BULK)
#define usb_rcvbulkpipe(udev, ep) (usermm_usb_pipe(udev, ep, PIPE_BULK) | USB_DIR_IN)
#define usb_sndintpipe(udev, ep) usermm_usb_pipe(udev, ep, PIPE_INTERRUPT)
#define usb_rcvintpipe(udev, ep) (usermm_usb_pipe(udev, ep, PIPE_INTERRUPT) | USB_DIR_IN)
#define usb_sndisocpipe(udev, ep) usermm_usb_pipe(udev, ep, PIPE_ISOCHRONOUS)
#define usb_rcvisocpipe(udev, ep) (usermm_usb_pipe(udev, ep, PIPE_ISOCHRONOUS) | USB_DIR_IN)
#define usb_pipein(pipe) ((pipe) & USB_DIR_IN)
#define usb_pipeout(pipe) (!usb_pipein(pipe))

#define usb_maxpacket(udev, pipe, ...) ((void)(udev), (void)(pipe), (u16)0)

static inline struct urb *usb_alloc_urb(int nr_packets, gfp_t gfp)
{
	struct urb *urb = kzalloc(struct_size(urb, iso_frame_desc, (size_t)nr_packets), gfp);

	if (urb)
		kref_init(&urb->kref);
	return urb;
}

static inline void usermm_urb_release(struct kref *kref)
{
	struct urb *urb = container_of(kref, struct urb, kref);

	if (urb->transfer_flags & URB_FREE_BUFFER)
		kfree(urb->transfer_buffer);
	kfree(urb);
}

static inline void usb_free_urb(struct urb *urb)
{
	if (urb)
		kref_put(&urb->kref, usermm_urb_release);
}

static inline struct urb *usb_get_urb(struct urb *urb)
{
	if (urb)
		kref_get(&urb->kref);
	return urb;
}

static inline int usb_submit_urb(struct urb *urb, gfp_t gfp)
{
	(void)gfp;
	return urb && urb->complete ? -ENODEV : -EINVAL;
}

#define usb_put_urb(urb) usb_free_urb(urb)
#define usb_kill_urb(urb) ((void)(urb))
#define usb_poison_urb(urb) ((void)(urb))
#define usb_unpoison_urb(urb) ((void)(urb))
#define usb_unlink_urb(urb) ((void)(urb), -ENODEV)
#define usb_anchor_urb(urb, anchor_ptr) ((void)((urb)->anchor = (anchor_ptr)))
#define usb_unanchor_urb(urb) ((void)((urb)->anchor = NULL))
#define usb_kill_anchored_urbs(anchor) ((void)(anchor))
#define usb_scuttle_anchored_urbs(anchor) ((void)(anchor))
#define usb_wait_anchor_empty_timeout(anchor, ms) ((void)(anchor), (void)(ms), 1)

static inline void init_usb_anchor(struct usb_anchor *anchor)
{
	INIT_LIST_HEAD(&anchor->urb_list);
	init_waitqueue_head(&anchor->wait);
	spin_lock_init(&anchor->lock);
}

static inline void usb_fill_bulk_urb(struct urb *urb, struct usb_device *dev, unsigned int pipe,
				     void *buffer, int n, usb_complete_t complete, void *context)
{
	urb->dev = dev;
	urb->pipe = pipe;
	urb->transfer_buffer = buffer;
	urb->transfer_buffer_length = (u32)n;
	urb->complete = complete;
	urb->context = context;
}

static inline void usb_fill_int_urb(struct urb *urb, struct usb_device *dev, unsigned int pipe,
				    void *buffer, int n, usb_complete_t complete, void *context,
				    int interval)
{
	usb_fill_bulk_urb(urb, dev, pipe, buffer, n, complete, context);
	urb->interval = interval;
}

static inline void usb_fill_control_urb(struct urb *urb, struct usb_device *dev,
					unsigned int pipe, unsigned char *setup, void *buffer,
					int n, usb_complete_t complete, void *context)
{
	usb_fill_bulk_urb(urb, dev, pipe, buffer, n, complete, context);
	urb->setup_packet = setup;
}

static inline int usb_control_msg(struct usb_device *dev, unsigned int pipe, __u8 request,
				  __u8 type, __u16 value, __u16 index, void *data, __u16 n,
				  int timeout)
{
	(void)dev;
	(void)pipe;
	(void)request;
	(void)type;
	(void)value;
	(void)index;
	(void)data;
	(void)n;
	(void)timeout;
	return -ENODEV;
}

static inline int usb_bulk_msg(struct usb_device *dev, unsigned int pipe, void *data, int n,
			       int *actual, int timeout)
{
	(void)dev;
	(void)pipe;
	(void)data;
	(void)n;
	(void)actual;
	(void)timeout;
	return -ENODEV;
}

#define usb_interrupt_msg(udev, pipe, data, n, actual, timeout) \
	usb_bulk_msg(udev, pipe, data, n, actual, timeout)

static inline int usb_set_interface(struct usb_device *dev, int interface, int alternate)
{
	(void)dev;
	(void)interface;
	(void)alternate;
	return -ENODEV;
}

static inline int usb_string(struct usb_device *dev, int index, char *buffer, size_t n)
{
	(void)dev;
	(void)index;
	(void)buffer;
	(void)n;
	return -ENODEV;
}

static inline int usb_clear_halt(struct usb_device *dev, int pipe)
{
	(void)dev;
	(void)pipe;
	return -ENODEV;
}

#define usb_reset_device(udev) ((void)(udev), -ENODEV)

/* Memory that devices see is ordinary memory. */
static inline void *usb_alloc_coherent(struct usb_device *dev, size_t n, gfp_t gfp,
				       dma_addr_t *dma)
{
	void *memory = kzalloc(n, gfp);

	(void)dev;
	*dma = (dma_addr_t)(unsigned long)memory;
	return memory;
}

static inline void usb_free_coherent(struct usb_device *dev, size_t n, void *address,
				     dma_addr_t dma)
{
	(void)dev;
	(void)n;
	(void)dma;
	kfree(address);
}

static inline int usermm_usb_find(const struct usb_host_interface *setting, int type, bool in,
				  struct usb_endpoint_descriptor **found)
{
	for (int i = 0; i < setting->desc.bNumEndpoints; i++) {
		struct usb_endpoint_descriptor *endpoint = &setting->endpoint[i].desc;

		if ((endpoint->bmAttributes & USB_ENDPOINT_XFERTYPE_MASK) == type &&
		    !(endpoint->bEndpointAddress & USB_DIR_IN) == !in) {
			*found = endpoint;
			return 0;
		}
	}
	return -ENXIO;
}

#define usb_find_bulk_in_endpoint(setting, found) \
	usermm_usb_find(setting, USB_ENDPOINT_XFER_BULK, true, found)
#define usb_find_bulk_out_endpoint(setting, found) \
	usermm_usb_find(setting, USB_ENDPOINT_XFER_BULK, false, found)
#define usb_find_int_in_endpoint(setting, found) \
	usermm_usb_find(setting, USB_ENDPOINT_XFER_INT, true, found)
#define usb_find_int_out_endpoint(setting, found) \
	usermm_usb_find(setting, USB_ENDPOINT_XFER_INT, false, found)

static inline int usb_find_common_endpoints(struct usb_host_interface *setting,
					    struct usb_endpoint_descriptor **bulk_in,
					    struct usb_endpoint_descriptor **bulk_out,
					    struct usb_endpoint_descriptor **int_in,
					    struct usb_endpoint_descriptor **int_out)
{
	int error = 0;

	if (bulk_in)
		error |= usb_find_bulk_in_endpoint(setting, bulk_in);
	if (bulk_out)
		error |= usb_find_bulk_out_endpoint(setting, bulk_out);
	if (int_in)
		error |= usb_find_int_in_endpoint(setting, int_in);
	if (int_out)
		error |= usb_find_int_out_endpoint(setting, int_out);
	return error ? -ENXIO : 0;
}

#define usb_match_id(interface, ids) \
	((void)(interface), (void)(ids), (const struct usb_device_id *)NULL)

/* Notifiers are never called. */
#define usb_register_notify(block) ((void)(block))
#define usb_unregister_notify(block) ((void)(block))
#define USB_DEVICE_ADD 0x0001
#define USB_DEVICE_REMOVE 0x0002
#define USB_BUS_ADD 0x0003
#define USB_BUS_REMOVE 0x0004
#define usb_make_path(udev, buffer, n) snprintf(buffer, n, "usb-%s", (udev)->devpath)

#endif
