/* SPDX-License-Identifier: MIT */
/* Batteries and chargers of a module: a file for each property in /sys/class/power_supply/NAME. */
#ifndef __LINUX_POWER_SUPPLY_H__
#define __LINUX_POWER_SUPPLY_H__

#include <linux/device.h>
#include <linux/err.h>
#include <linux/leds.h>
#include <linux/notifier.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <usermm/compiler.h>

enum { POWER_SUPPLY_STATUS_UNKNOWN, POWER_SUPPLY_STATUS_CHARGING, POWER_SUPPLY_STATUS_DISCHARGING,
       POWER_SUPPLY_STATUS_NOT_CHARGING, POWER_SUPPLY_STATUS_FULL };
enum power_supply_charge_type { POWER_SUPPLY_CHARGE_TYPE_UNKNOWN, POWER_SUPPLY_CHARGE_TYPE_NONE,
       POWER_SUPPLY_CHARGE_TYPE_TRICKLE, POWER_SUPPLY_CHARGE_TYPE_FAST,
       POWER_SUPPLY_CHARGE_TYPE_STANDARD, POWER_SUPPLY_CHARGE_TYPE_ADAPTIVE,
       POWER_SUPPLY_CHARGE_TYPE_CUSTOM, POWER_SUPPLY_CHARGE_TYPE_LONGLIFE,
       POWER_SUPPLY_CHARGE_TYPE_BYPASS };
enum { POWER_SUPPLY_HEALTH_UNKNOWN, POWER_SUPPLY_HEALTH_GOOD, POWER_SUPPLY_HEALTH_OVERHEAT,
       POWER_SUPPLY_HEALTH_DEAD, POWER_SUPPLY_HEALTH_OVERVOLTAGE };
enum { POWER_SUPPLY_TECHNOLOGY_UNKNOWN, POWER_SUPPLY_TECHNOLOGY_NiMH,
       POWER_SUPPLY_TECHNOLOGY_LION, POWER_SUPPLY_TECHNOLOGY_LIPO,
       POWER_SUPPLY_TECHNOLOGY_LiFe, POWER_SUPPLY_TECHNOLOGY_NiCd,
       POWER_SUPPLY_TECHNOLOGY_LiMn };
enum { POWER_SUPPLY_CAPACITY_LEVEL_UNKNOWN, POWER_SUPPLY_CAPACITY_LEVEL_CRITICAL,
       POWER_SUPPLY_CAPACITY_LEVEL_LOW, POWER_SUPPLY_CAPACITY_LEVEL_NORMAL,
       POWER_SUPPLY_CAPACITY_LEVEL_HIGH, POWER_SUPPLY_CAPACITY_LEVEL_FULL };
enum { POWER_SUPPLY_SCOPE_UNKNOWN, POWER_SUPPLY_SCOPE_SYSTEM, POWER_SUPPLY_SCOPE_DEVICE };

enum power_supply_type { POWER_SUPPLY_TYPE_UNKNOWN, POWER_SUPPLY_TYPE_BATTERY,
			 POWER_SUPPLY_TYPE_UPS, POWER_SUPPLY_TYPE_MAINS, POWER_SUPPLY_TYPE_USB };

/* The properties: the name in Linux, that of the file, and what its value is. */
#define USERMM_POWER_PROPERTIES(X)						\
	X(STATUS, status, status) X(CHARGE_TYPE, charge_type, charge_type)	\
	X(HEALTH, health, health) X(PRESENT, present, number)			\
	X(ONLINE, online, number) X(AUTHENTIC, authentic, number)		\
	X(TECHNOLOGY, technology, technology) X(CYCLE_COUNT, cycle_count, number) \
	X(VOLTAGE_MAX, voltage_max, number) X(VOLTAGE_MIN, voltage_min, number)	\
	X(VOLTAGE_MAX_DESIGN, voltage_max_design, number)			\
	X(VOLTAGE_MIN_DESIGN, voltage_min_design, number)			\
	X(VOLTAGE_NOW, voltage_now, number) X(VOLTAGE_AVG, voltage_avg, number)	\
	X(VOLTAGE_OCV, voltage_ocv, number) X(VOLTAGE_BOOT, voltage_boot, number) \
	X(CURRENT_MAX, current_max, number) X(CURRENT_NOW, current_now, number)	\
	X(CURRENT_AVG, current_avg, number) X(CURRENT_BOOT, current_boot, number) \
	X(POWER_NOW, power_now, number) X(POWER_AVG, power_avg, number)		\
	X(CHARGE_FULL_DESIGN, charge_full_design, number)			\
	X(CHARGE_EMPTY_DESIGN, charge_empty_design, number)			\
	X(CHARGE_FULL, charge_full, number) X(CHARGE_EMPTY, charge_empty, number) \
	X(CHARGE_NOW, charge_now, number) X(CHARGE_AVG, charge_avg, number)	\
	X(CHARGE_COUNTER, charge_counter, number)				\
	X(CONSTANT_CHARGE_CURRENT, constant_charge_current, number)		\
	X(CONSTANT_CHARGE_CURRENT_MAX, constant_charge_current_max, number)	\
	X(CONSTANT_CHARGE_VOLTAGE, constant_charge_voltage, number)		\
	X(CONSTANT_CHARGE_VOLTAGE_MAX, constant_charge_voltage_max, number)	\
	X(CHARGE_CONTROL_LIMIT, charge_control_limit, number)			\
	X(CHARGE_CONTROL_LIMIT_MAX, charge_control_limit_max, number)		\
	X(CHARGE_CONTROL_START_THRESHOLD, charge_control_start_threshold, number) \
	X(CHARGE_CONTROL_END_THRESHOLD, charge_control_end_threshold, number)	\
	X(INPUT_CURRENT_LIMIT, input_current_limit, number)			\
	X(INPUT_VOLTAGE_LIMIT, input_voltage_limit, number)			\
	X(INPUT_POWER_LIMIT, input_power_limit, number)				\
	X(ENERGY_FULL_DESIGN, energy_full_design, number)			\
	X(ENERGY_EMPTY_DESIGN, energy_empty_design, number)			\
	X(ENERGY_FULL, energy_full, number) X(ENERGY_EMPTY, energy_empty, number) \
	X(ENERGY_NOW, energy_now, number) X(ENERGY_AVG, energy_avg, number)	\
	X(CAPACITY, capacity, number) X(CAPACITY_ALERT_MIN, capacity_alert_min, number) \
	X(CAPACITY_ALERT_MAX, capacity_alert_max, number)			\
	X(CAPACITY_ERROR_MARGIN, capacity_error_margin, number)			\
	X(CAPACITY_LEVEL, capacity_level, capacity_level) X(TEMP, temp, number)	\
	X(TEMP_MAX, temp_max, number) X(TEMP_MIN, temp_min, number)		\
	X(TEMP_ALERT_MIN, temp_alert_min, number) X(TEMP_ALERT_MAX, temp_alert_max, number) \
	X(TEMP_AMBIENT, temp_ambient, number)					\
	X(TIME_TO_EMPTY_NOW, time_to_empty_now, number)				\
	X(TIME_TO_EMPTY_AVG, time_to_empty_avg, number)				\
	X(TIME_TO_FULL_NOW, time_to_full_now, number)				\
	X(TIME_TO_FULL_AVG, time_to_full_avg, number) X(SCOPE, scope, scope)	\
	X(PRECHARGE_CURRENT, precharge_current, number)				\
	X(CHARGE_TERM_CURRENT, charge_term_current, number)			\
	X(CALIBRATE, calibrate, number)						\
	X(MANUFACTURE_YEAR, manufacture_year, number)				\
	X(MANUFACTURE_MONTH, manufacture_month, number)				\
	X(MANUFACTURE_DAY, manufacture_day, number) X(MODEL_NAME, model_name, text) \
	X(MANUFACTURER, manufacturer, text) X(SERIAL_NUMBER, serial_number, text)

#define USERMM_POWER_ENUM(name, file, kind) POWER_SUPPLY_PROP_##name,
enum power_supply_property { USERMM_POWER_PROPERTIES(USERMM_POWER_ENUM) };
#undef USERMM_POWER_ENUM

union power_supply_propval {
	int intval;
	const char *strval;
};

struct power_supply;
struct fwnode_handle;

struct power_supply_config {
	struct device_node *of_node;
	struct fwnode_handle *fwnode;
	void *drv_data;
	const struct attribute_group **attr_grp;
	char **supplied_to;
	size_t num_supplicants;
};

struct power_supply_desc {
	const char *name;
	enum power_supply_type type;
	u8 charge_behaviours;
	u32 charge_types, usb_types;
	const enum power_supply_property *properties;
	size_t num_properties;
	int (*get_property)(struct power_supply *supply, enum power_supply_property property,
			    union power_supply_propval *value);
	int (*set_property)(struct power_supply *supply, enum power_supply_property property,
			    const union power_supply_propval *value);
	int (*property_is_writeable)(struct power_supply *supply,
				     enum power_supply_property property);
	void (*external_power_changed)(struct power_supply *supply);
	bool no_thermal;
	int use_for_apm;
};

struct power_supply {
	const struct power_supply_desc *desc;
	char **supplied_to;
	size_t num_supplicants;
	void *drv_data;
	struct device dev;	/* only its name and parent count; the files are usermm_dev's */
	struct device *usermm_dev;
	void *usermm_attributes;
};

USERMM_BEGIN_DECLS

/* The supply, or an error pointer: -EINVAL without a name, properties or a way to get them. */
struct power_supply *power_supply_register(struct device *parent,
					   const struct power_supply_desc *desc,
					   const struct power_supply_config *config)
	USERMM_API(power_supply_register);
struct power_supply *devm_power_supply_register(struct device *parent,
						const struct power_supply_desc *desc,
						const struct power_supply_config *config)
	USERMM_API(devm_power_supply_register);
void power_supply_unregister(struct power_supply *supply) USERMM_API(power_supply_unregister);
int power_supply_get_property(struct power_supply *supply, enum power_supply_property property,
			      union power_supply_propval *value)
	USERMM_API(power_supply_get_property);
int power_supply_set_property(struct power_supply *supply, enum power_supply_property property,
			      const union power_supply_propval *value)
	USERMM_API(power_supply_set_property);

USERMM_END_DECLS

/* Nobody waits for a change; other modules' supplies are not found. */
#define power_supply_changed(supply) ((void)(supply))
#define power_supply_get_drvdata(supply) ((supply)->drv_data)
#define power_supply_get_by_name(name) ((void)(name), (struct power_supply *)NULL)
#define power_supply_put(supply) ((void)(supply))
#define power_supply_is_system_supplied() 1
#define power_supply_reg_notifier(block) ((void)(block), 0)
#define power_supply_unreg_notifier(block) ((void)(block))

#endif
