/* SPDX-License-Identifier: MIT */
/* As without CONFIG_DMI: nothing is known of the machine. */
#ifndef __DMI_H__
#define __DMI_H__

#include <linux/kobject.h>
#include <linux/list.h>
#include <linux/mod_devicetable.h>

enum dmi_field {
	DMI_NONE, DMI_BIOS_VENDOR, DMI_BIOS_VERSION, DMI_BIOS_DATE, DMI_SYS_VENDOR,
	DMI_PRODUCT_NAME, DMI_PRODUCT_VERSION, DMI_PRODUCT_SERIAL, DMI_BOARD_VENDOR,
	DMI_BOARD_NAME, DMI_BOARD_VERSION, DMI_CHASSIS_TYPE,
};

#define DMI_MATCH(field, text) { .slot = (field), .substr = text }
#define DMI_EXACT_MATCH(field, text) { .slot = (field), .substr = text, .exact_match = 1 }
#define dmi_get_system_info(field) ((void)(field), (const char *)NULL)
#define dmi_check_system(list) ((void)(list), 0)
#define dmi_first_match(list) ((void)(list), (const struct dmi_system_id *)NULL)
#define dmi_match(field, text) ((void)(field), (void)(text), false)
#define dmi_name_in_vendors(text) ((void)(text), 0)

#endif
