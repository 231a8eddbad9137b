/* SPDX-License-Identifier: MIT */
/* Drivers of human interface devices. There is no such device, so probe() is never called. */
#ifndef KERNEL_LINUX_HID_H
#define KERNEL_LINUX_HID_H

#include <linux/bitops.h>
#include <linux/bsearch.h>
#include <linux/compat.h>
#include <linux/dev_printk.h>
#include <linux/device.h>
#include <linux/file.h>
#include <linux/input.h>
#include <linux/ioport.h>
#include <linux/list.h>
#include <linux/memcontrol.h>
#include <linux/mod_devicetable.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/power_supply.h>
#include <linux/slab.h>
#include <linux/socket.h>
#include <linux/sockptr.h>
#include <linux/static_call.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <usermm/compiler.h>
#include_next <linux/hid.h>

struct hid_driver;
struct hid_report;
struct hid_field;

struct hid_usage {
	unsigned int hid;
	u16 code;
	u8 type;
};

struct hid_field {
	unsigned int physical, logical, application;
	struct hid_usage *usage;
	unsigned int maxusage, flags, report_offset, report_size, report_count, report_type;
	s32 *value;
	s32 logical_minimum, logical_maximum;
	struct hid_report *report;
};

#define HID_MAX_FIELDS 256
struct hid_report {
	struct list_head list;
	unsigned int id, application;
	unsigned int type;
	struct hid_field *field[HID_MAX_FIELDS];
	unsigned int maxfield, size;
	struct hid_device *device;
};

struct hid_collection {
	int parent_idx;			/* -1: none */
	unsigned int type, usage, level;
};

struct hid_report_enum {
	unsigned int numbered;
	struct list_head report_list;
};

struct hid_device {
	const u8 *rdesc;
	unsigned int rsize;
	unsigned int country;
	struct hid_collection *collection;
	unsigned int collection_size, maxcollection, maxapplication;
	struct hid_report_enum report_enum[3];
	__u16 bus, group;
	__u32 vendor, product, version;
	unsigned int type;
	struct device dev;
	struct hid_driver *driver;
	char name[128], phys[64], uniq[64];
	unsigned long quirks;
	struct list_head inputs;
};

struct hid_input {
	struct list_head list;
	struct hid_report *report;
	struct input_dev *input;
	const char *name;
};

struct hid_driver {
	char *name;
	const struct hid_device_id *id_table;
	int (*probe)(struct hid_device *hid, const struct hid_device_id *id);
	void (*remove)(struct hid_device *hid);
	int (*raw_event)(struct hid_device *hid, struct hid_report *report, u8 *data, int n);
	int (*event)(struct hid_device *hid, struct hid_field *field, struct hid_usage *usage,
		     __s32 value);
	void (*report)(struct hid_device *hid, struct hid_report *report);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	const __u8 *(*report_fixup)(struct hid_device *hid, __u8 *bytes, unsigned int *n);
#else
	__u8 *(*report_fixup)(struct hid_device *hid, __u8 *bytes, unsigned int *n);
#endif
	int (*input_mapping)(struct hid_device *hid, struct hid_input *input,
			     struct hid_field *field, struct hid_usage *usage,
			     unsigned long **bit, int *max);
	int (*input_mapped)(struct hid_device *hid, struct hid_input *input,
			    struct hid_field *field, struct hid_usage *usage,
			    unsigned long **bit, int *max);
	int (*input_configured)(struct hid_device *hid, struct hid_input *input);
	int (*suspend)(struct hid_device *hid, pm_message_t message);
	int (*resume)(struct hid_device *hid);
	int (*reset_resume)(struct hid_device *hid);
	struct device_driver driver;
};

#define HID_INPUT_REPORT 0
#define HID_OUTPUT_REPORT 1
#define HID_FEATURE_REPORT 2
#define HID_COLLECTION_PHYSICAL 0
#define HID_COLLECTION_APPLICATION 1
#define HID_COLLECTION_LOGICAL 2
#define HID_REQ_GET_REPORT 1
#define HID_REQ_SET_REPORT 9
#define HID_CONNECT_HIDINPUT 0x01
#define HID_CONNECT_HIDRAW 0x04
#define HID_CONNECT_DEFAULT 0x1d
#define HID_UP_KEYBOARD 0x00070000
#define HID_UP_BUTTON 0x00090000
#define HID_UP_CONSUMER 0x000c0000
#define HID_USAGE_PAGE 0xffff0000
#define HID_UP_UNDEFINED 0x00000000
#define HID_UP_GENDESK 0x00010000
#define HID_UP_LED 0x00080000
#define HID_UP_DIGITIZER 0x000d0000
#define HID_UP_MSVENDOR 0xff000000
#define HID_USAGE 0x0000ffff
#define HID_GD_POINTER 0x00010001
#define HID_GD_MOUSE 0x00010002
#define HID_GD_JOYSTICK 0x00010004
#define HID_GD_GAMEPAD 0x00010005
#define HID_GD_KEYBOARD 0x00010006
#define HID_GD_KEYPAD 0x00010007
#define HID_GD_MULTIAXIS 0x00010008
#define HID_GD_X 0x00010030
#define HID_GD_Y 0x00010031
#define HID_GD_Z 0x00010032
#define HID_GD_RX 0x00010033
#define HID_GD_RY 0x00010034
#define HID_GD_RZ 0x00010035
#define HID_GD_SLIDER 0x00010036
#define HID_GD_DIAL 0x00010037
#define HID_GD_WHEEL 0x00010038
#define HID_DG_DIGITIZER 0x000d0001
#define HID_DG_PEN 0x000d0002
#define HID_DG_TOUCHSCREEN 0x000d0004
#define HID_DG_STYLUS 0x000d0020
#define HID_DG_TIPPRESSURE 0x000d0030
#define HID_DG_INRANGE 0x000d0032
#define HID_DG_TIPSWITCH 0x000d0042
#define HID_CP_CONSUMER_CONTROL 0x000c0001
#define HID_QUIRK_INVERT BIT(0)
#define HID_QUIRK_NOTOUCH BIT(1)
#define HID_QUIRK_IGNORE BIT(2)
#define HID_QUIRK_NOGET BIT(3)
#define HID_QUIRK_HIDDEV_FORCE BIT(4)
#define HID_QUIRK_BADPAD BIT(5)
#define HID_QUIRK_MULTI_INPUT BIT(6)
#define HID_QUIRK_HIDINPUT_FORCE BIT(7)
#define HID_QUIRK_ALWAYS_POLL BIT(10)
#define HID_QUIRK_INPUT_PER_APP BIT(11)
#define HID_QUIRK_NO_INIT_REPORTS BIT(29)
#define HID_QUIRK_NO_IGNORE BIT(30)
#define HID_CLAIMED_INPUT BIT(0)
#define HID_CLAIMED_HIDDEV BIT(1)
#define HID_CLAIMED_HIDRAW BIT(2)

extern const struct bus_type hid_bus_type USERMM_API(hid_bus_type);

#define HID_DEVICE(bus_type_nr, group_nr, vend, prod) \
	.bus = (bus_type_nr), .group = (group_nr), .vendor = (vend), .product = (prod)
#define HID_USB_DEVICE(vend, prod) HID_DEVICE(BUS_USB, HID_GROUP_ANY, vend, prod)
#define HID_BLUETOOTH_DEVICE(vend, prod) HID_DEVICE(BUS_BLUETOOTH, HID_GROUP_ANY, vend, prod)

static inline int __hid_register_driver(struct hid_driver *driver, struct module *owner,
					const char *module_name)
{
	(void)module_name;
	driver->driver.name = driver->name;
	driver->driver.bus = &hid_bus_type;
	driver->driver.owner = owner;
	return driver_register(&driver->driver);
}

#define hid_register_driver(hid_driver_ptr) \
	__hid_register_driver(hid_driver_ptr, THIS_MODULE, KBUILD_MODNAME)

static inline void hid_unregister_driver(struct hid_driver *driver)
{
	driver_unregister(&driver->driver);
}

#define module_hid_driver(hid_driver) \
	module_driver(hid_driver, hid_register_driver, hid_unregister_driver)
#define to_hid_device(device) container_of(device, struct hid_device, dev)
#define hid_get_drvdata(hid) dev_get_drvdata(&(hid)->dev)
#define hid_set_drvdata(hid, data) dev_set_drvdata(&(hid)->dev, data)

static inline int hid_parse(struct hid_device *hid)
{
	(void)hid;
	return -ENODEV;
}

static inline int hid_hw_start(struct hid_device *hid, unsigned int connect)
{
	(void)hid;
	(void)connect;
	return -ENODEV;
}

static inline int hid_hw_raw_request(struct hid_device *hid, unsigned char number, __u8 *buffer,
				     size_t n, unsigned int type, int request)
{
	(void)hid;
	(void)number;
	(void)buffer;
	(void)n;
	(void)type;
	(void)request;
	return -ENODEV;
}

#define hid_hw_stop(hid) ((void)(hid))
#define hid_hw_open(hid) ((void)(hid), -ENODEV)
#define hid_hw_close(hid) ((void)(hid))
#define hid_hw_output_report(hid, buffer, n) ((void)(hid), (void)(buffer), (void)(n), -ENODEV)
#define hid_info(hid, fmt, ...) dev_info(&(hid)->dev, fmt, ##__VA_ARGS__)
#define hid_warn(hid, fmt, ...) dev_warn(&(hid)->dev, fmt, ##__VA_ARGS__)
#define hid_err(hid, fmt, ...) dev_err(&(hid)->dev, fmt, ##__VA_ARGS__)
#define hid_dbg(hid, fmt, ...) dev_dbg(&(hid)->dev, fmt, ##__VA_ARGS__)

/* Which bit of the input device a usage sets: *bit is NULL for a code that is beyond *max. */
static inline void hid_map_usage(struct hid_input *input, struct hid_usage *usage,
				 unsigned long **bit, int *max, __u8 type, unsigned int code)
{
	struct input_dev *dev = input->input;
	unsigned long *bits = type == EV_KEY ? dev->keybit : type == EV_REL ? dev->relbit :
			      type == EV_ABS ? dev->absbit : type == EV_LED ? dev->ledbit :
			      type == EV_MSC ? dev->mscbit : NULL;
	int limit = type == EV_KEY ? KEY_MAX : type == EV_REL ? REL_MAX : type == EV_ABS ? ABS_MAX :
		    type == EV_LED ? LED_MAX : MSC_MAX;

	*bit = code <= (unsigned int)limit ? bits : NULL;
	if (!*bit)
		return;
	usage->type = type;
	usage->code = (u16)code;
	*max = limit;
}

static inline void hid_map_usage_clear(struct hid_input *input, struct hid_usage *usage,
				       unsigned long **bit, int *max, __u8 type, __u16 code)
{
	hid_map_usage(input, usage, bit, max, type, code);
	if (*bit)
		clear_bit(code, *bit);
}

#endif
