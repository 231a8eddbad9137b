/* SPDX-License-Identifier: MIT */
/* The tables by which drivers say which devices they are for. */
#ifndef _LINUX_MOD_DEVICETABLE_H
#define _LINUX_MOD_DEVICETABLE_H

#include <linux/types.h>

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

struct acpi_device_id {
	__u8 id[16];
	kernel_ulong_t driver_data;
	__u32 cls;
	__u32 cls_msk;
};

#define I2C_NAME_SIZE 20
struct i2c_device_id {
	char name[I2C_NAME_SIZE];
	kernel_ulong_t driver_data;
};

#define SPI_NAME_SIZE 32
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

struct usb_device_id {
	__u16 match_flags;
	__u16 idVendor, idProduct;
	__u16 bcdDevice_lo, bcdDevice_hi;
	__u8 bDeviceClass, bDeviceSubClass, bDeviceProtocol;
	__u8 bInterfaceClass, bInterfaceSubClass, bInterfaceProtocol, bInterfaceNumber;
	kernel_ulong_t driver_info;
};

#endif
