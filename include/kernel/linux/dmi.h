/* SPDX-License-Identifier: MIT */
/* As without CONFIG_DMI: nothing is known of the machine. */
#ifndef __DMI_H__
#define __DMI_H__

#include <linux/errno.h>
#include <linux/kobject.h>
#include <linux/list.h>
#include <linux/mod_devicetable.h>

enum dmi_field {
	DMI_NONE, DMI_BIOS_VENDOR, DMI_BIOS_VERSION, DMI_BIOS_DATE, DMI_SYS_VENDOR,
	DMI_PRODUCT_NAME, DMI_PRODUCT_VERSION, DMI_PRODUCT_SERIAL, DMI_BOARD_VENDOR,
	DMI_BOARD_NAME, DMI_BOARD_VERSION, DMI_CHASSIS_TYPE, DMI_BIOS_RELEASE,
	DMI_EC_FIRMWARE_RELEASE, DMI_PRODUCT_UUID, DMI_PRODUCT_SKU, DMI_PRODUCT_FAMILY,
	DMI_BOARD_SERIAL, DMI_BOARD_ASSET_TAG, DMI_CHASSIS_VENDOR, DMI_CHASSIS_VERSION,
	DMI_CHASSIS_SERIAL, DMI_CHASSIS_ASSET_TAG, DMI_STRING_MAX,
};

#define DMI_MATCH(field, text) { .slot = (field), .substr = text }
#define DMI_EXACT_MATCH(field, text) { .slot = (field), .substr = text, .exact_match = 1 }
#define dmi_get_system_info(field) ((void)(field), (const char *)NULL)
#define dmi_check_system(list) ((void)(list), 0)
#define dmi_first_match(list) ((void)(list), (const struct dmi_system_id *)NULL)
#define dmi_match(field, text) ((void)(field), (void)(text), false)
enum dmi_device_type {
	DMI_DEV_TYPE_ANY, DMI_DEV_TYPE_OTHER, DMI_DEV_TYPE_UNKNOWN, DMI_DEV_TYPE_VIDEO,
	DMI_DEV_TYPE_SCSI, DMI_DEV_TYPE_ETHERNET, DMI_DEV_TYPE_TOKENRING, DMI_DEV_TYPE_SOUND,
	DMI_DEV_TYPE_PATA, DMI_DEV_TYPE_SATA, DMI_DEV_TYPE_SAS, DMI_DEV_TYPE_IPMI = -1,
	DMI_DEV_TYPE_OEM_STRING = -2, DMI_DEV_TYPE_DEV_ONBOARD = -3, DMI_DEV_TYPE_DEV_SLOT = -4,
};

struct dmi_device {
	struct list_head list;
	int type;
	const char *name;
	void *device_data;
};

#define dmi_find_device(type, name, from) \
	((void)(type), (void)(name), (void)(from), (const struct dmi_device *)NULL)
#define dmi_get_date(field, year, month, day) \
	((void)(field), (year) ? (void)(*(int *)(year) = 0) : (void)0, \
	 (month) ? (void)(*(int *)(month) = 0) : (void)0, \
	 (day) ? (void)(*(int *)(day) = 0) : (void)0, false)
#define dmi_get_bios_year() (-ENXIO)
#define dmi_walk(decode, data) ((void)(decode), (void)(data), -ENXIO)
#define dmi_name_in_serial(text) ((void)(text), 0)
#define dmi_name_in_vendors(text) ((void)(text), 0)

#endif
