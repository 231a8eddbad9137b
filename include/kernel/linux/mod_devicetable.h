/* SPDX-License-Identifier: MIT */
/* The tables by which drivers say which devices they are for. */
#ifndef _LINUX_MOD_DEVICETABLE_H
#define _LINUX_MOD_DEVICETABLE_H

#include <linux/types.h>
#include <linux/uuid.h>

typedef unsigned long kernel_ulong_t;

#define PLATFORM_NAME_SIZE 24
struct platform_device_id {
	char name[PLATFORM_NAME_SIZE];
	kernel_ulong_t driver_data;
};

struct of_device_id {
	char name[32];
	char type[32];
	char compatible[128];
	const void *data;
};

#define ACPI_ID_LEN 16
struct acpi_device_id {
	__u8 id[ACPI_ID_LEN];
	kernel_ulong_t driver_data;
	__u32 cls;
	__u32 cls_msk;
};

#define WMI_MODULE_PREFIX "wmi:"
struct wmi_device_id {
	const char guid_string[UUID_STRING_LEN + 1];
	const void *context;
};

struct pnp_device_id {
	__u8 id[8];
	kernel_ulong_t driver_data;
};

#define I2C_NAME_SIZE 20
#define I2C_MODULE_PREFIX "i2c:"
struct i2c_device_id {
	char name[I2C_NAME_SIZE];
	kernel_ulong_t driver_data;
};

#define SPI_NAME_SIZE 32
#define SPI_MODULE_PREFIX "spi:"
struct spi_device_id {
	char name[SPI_NAME_SIZE];
	kernel_ulong_t driver_data;
};

#define PCI_ANY_ID (~0)
struct pci_device_id {
	__u32 vendor, device;
	__u32 subvendor, subdevice;
	__u32 class, class_mask;
	kernel_ulong_t driver_data;
	__u32 override_only;
};

#define USB_DEVICE_ID_MATCH_VENDOR 0x0001
#define USB_DEVICE_ID_MATCH_PRODUCT 0x0002
#define USB_DEVICE_ID_MATCH_DEV_LO 0x0004
#define USB_DEVICE_ID_MATCH_DEV_HI 0x0008
#define USB_DEVICE_ID_MATCH_DEV_CLASS 0x0010
#define USB_DEVICE_ID_MATCH_DEV_SUBCLASS 0x0020
#define USB_DEVICE_ID_MATCH_DEV_PROTOCOL 0x0040
#define USB_DEVICE_ID_MATCH_INT_CLASS 0x0080
#define USB_DEVICE_ID_MATCH_INT_SUBCLASS 0x0100
#define USB_DEVICE_ID_MATCH_INT_PROTOCOL 0x0200
#define USB_DEVICE_ID_MATCH_INT_NUMBER 0x0400
struct usb_device_id {
	__u16 match_flags;
	__u16 idVendor, idProduct;
	__u16 bcdDevice_lo, bcdDevice_hi;
	__u8 bDeviceClass, bDeviceSubClass, bDeviceProtocol;
	__u8 bInterfaceClass, bInterfaceSubClass, bInterfaceProtocol, bInterfaceNumber;
	kernel_ulong_t driver_info;
};

#define HID_ANY_ID (~0)
#define HID_BUS_ANY 0xffff
#define HID_GROUP_ANY 0x0000
struct hid_device_id {
	__u16 bus, group;
	__u32 vendor, product;
	kernel_ulong_t driver_data;
};

#define INPUT_DEVICE_ID_MATCH_BUS 1
#define INPUT_DEVICE_ID_MATCH_VENDOR 2
#define INPUT_DEVICE_ID_MATCH_PRODUCT 4
#define INPUT_DEVICE_ID_MATCH_VERSION 8
#define INPUT_DEVICE_ID_MATCH_EVBIT 0x0010
#define INPUT_DEVICE_ID_MATCH_KEYBIT 0x0020
#define INPUT_DEVICE_ID_MATCH_RELBIT 0x0040
#define INPUT_DEVICE_ID_MATCH_ABSBIT 0x0080
#define USERMM_INPUT_WORDS(codes) (((codes) + 8 * sizeof(long)) / (8 * sizeof(long)))
struct input_device_id {
	kernel_ulong_t flags;
	__u16 bustype, vendor, product, version;
	kernel_ulong_t evbit[USERMM_INPUT_WORDS(0x1f)];
	kernel_ulong_t keybit[USERMM_INPUT_WORDS(0x2ff)];
	kernel_ulong_t relbit[USERMM_INPUT_WORDS(0x0f)];
	kernel_ulong_t absbit[USERMM_INPUT_WORDS(0x3f)];
	kernel_ulong_t mscbit[USERMM_INPUT_WORDS(0x07)];
	kernel_ulong_t ledbit[USERMM_INPUT_WORDS(0x0f)];
	kernel_ulong_t sndbit[USERMM_INPUT_WORDS(0x07)];
	kernel_ulong_t ffbit[USERMM_INPUT_WORDS(0x7f)];
	kernel_ulong_t swbit[USERMM_INPUT_WORDS(0x10)];
	kernel_ulong_t propbit[USERMM_INPUT_WORDS(0x1f)];
	kernel_ulong_t driver_info;
};

struct virtio_device_id {
	__u32 device, vendor;
};
#define VIRTIO_DEV_ANY_ID 0xffffffff

struct dmi_strmatch {
	unsigned char slot : 7;
	unsigned char exact_match : 1;
	char substr[79];
};

struct dmi_system_id {
	int (*callback)(const struct dmi_system_id *id);
	const char *ident;
	struct dmi_strmatch matches[4];
	void *driver_data;
};

struct serio_device_id {
	__u8 type, extra, id, proto;
};

#define RPMSG_NAME_SIZE 32
struct rpmsg_device_id {
	char name[RPMSG_NAME_SIZE];
	kernel_ulong_t driver_data;
};

struct mdio_device_id {
	__u32 phy_id, phy_id_mask;
};

struct x86_cpu_id {
	__u16 vendor, family, model, steppings, feature, flags;
	kernel_ulong_t driver_data;
};

#endif
