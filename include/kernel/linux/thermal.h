/* SPDX-License-Identifier: MIT */
/*
 * Zones and fans of a module: /sys/class/thermal/thermal_zoneN with type, temp and mode, and
 * cooling_deviceN with type, max_state and cur_state. Nothing reads the temperature unless a
 * program does, so no trip point is ever passed.
 */
#ifndef __THERMAL_H__
#define __THERMAL_H__

#include <linux/device.h>
#include <linux/err.h>
#include <linux/idr.h>
#include <linux/of.h>
#include <linux/sysfs.h>
#include <linux/workqueue.h>
#include <usermm/compiler.h>

#define THERMAL_NAME_LENGTH 20
#define THERMAL_NO_LIMIT ((u32)~0)
#define THERMAL_TEMP_INVALID -274000

enum thermal_device_mode { THERMAL_DEVICE_DISABLED, THERMAL_DEVICE_ENABLED };
enum thermal_trip_type { THERMAL_TRIP_ACTIVE, THERMAL_TRIP_PASSIVE, THERMAL_TRIP_HOT,
			 THERMAL_TRIP_CRITICAL };
enum thermal_trend { THERMAL_TREND_STABLE, THERMAL_TREND_RAISING, THERMAL_TREND_DROPPING };
enum thermal_notify_event { THERMAL_EVENT_UNSPECIFIED, THERMAL_EVENT_TEMP_SAMPLE };

struct thermal_trip {
	int temperature, hysteresis, threshold;
	enum thermal_trip_type type;
	u8 flags;
	void *priv;
};

struct cooling_spec;
struct thermal_cooling_device;
struct thermal_zone_device;

struct thermal_zone_device_ops {
	bool (*should_bind)(struct thermal_zone_device *zone, const struct thermal_trip *trip,
			    struct thermal_cooling_device *cooling, struct cooling_spec *spec);
	int (*get_temp)(struct thermal_zone_device *zone, int *temperature);
	int (*set_trips)(struct thermal_zone_device *zone, int low, int high);
	int (*change_mode)(struct thermal_zone_device *zone, enum thermal_device_mode mode);
	int (*set_trip_temp)(struct thermal_zone_device *zone, const struct thermal_trip *trip,
			     int temperature);
	int (*get_crit_temp)(struct thermal_zone_device *zone, int *temperature);
	int (*set_emul_temp)(struct thermal_zone_device *zone, int temperature);
	int (*get_trend)(struct thermal_zone_device *zone, const struct thermal_trip *trip,
			 enum thermal_trend *trend);
	void (*hot)(struct thermal_zone_device *zone);
	void (*critical)(struct thermal_zone_device *zone);
};

struct thermal_cooling_device_ops {
	int (*get_max_state)(struct thermal_cooling_device *cooling, unsigned long *state);
	int (*get_cur_state)(struct thermal_cooling_device *cooling, unsigned long *state);
	int (*set_cur_state)(struct thermal_cooling_device *cooling, unsigned long state);
};

struct thermal_cooling_device {
	const char *type;
	void *devdata;
	const struct thermal_cooling_device_ops *ops;
	unsigned long max_state;
	struct device *usermm_dev;
};

struct thermal_zone_params {
	const char *governor_name;
	bool no_hwmon;
	u32 sustainable_power;
	int slope, offset;
};

USERMM_BEGIN_DECLS

/* The zone, or an error pointer: -EINVAL without a name or a temperature. */
struct thermal_zone_device *thermal_zone_device_register_with_trips(
	const char *type, const struct thermal_trip *trips, int nr_trips, void *data,
	const struct thermal_zone_device_ops *ops, const struct thermal_zone_params *params,
	unsigned int passive_delay, unsigned int polling_delay)
	USERMM_API(thermal_zone_device_register_with_trips);
void thermal_zone_device_unregister(struct thermal_zone_device *zone)
	USERMM_API(thermal_zone_device_unregister);
void *thermal_zone_device_priv(struct thermal_zone_device *zone)
	USERMM_API(thermal_zone_device_priv);
const char *thermal_zone_device_type(struct thermal_zone_device *zone)
	USERMM_API(thermal_zone_device_type);
int thermal_zone_device_id(struct thermal_zone_device *zone)
	USERMM_API(thermal_zone_device_id);
struct device *thermal_zone_device(struct thermal_zone_device *zone)
	USERMM_API(thermal_zone_device);
int thermal_zone_device_enable(struct thermal_zone_device *zone)
	USERMM_API(thermal_zone_device_enable);
int thermal_zone_device_disable(struct thermal_zone_device *zone)
	USERMM_API(thermal_zone_device_disable);
int thermal_zone_get_temp(struct thermal_zone_device *zone, int *temperature)
	USERMM_API(thermal_zone_get_temp);
struct thermal_cooling_device *thermal_cooling_device_register(
	const char *type, void *data, const struct thermal_cooling_device_ops *ops)
	USERMM_API(thermal_cooling_device_register);
void thermal_cooling_device_unregister(struct thermal_cooling_device *cooling)
	USERMM_API(thermal_cooling_device_unregister);

USERMM_END_DECLS

#define thermal_tripless_zone_device_register(type, data, ops, params) \
	thermal_zone_device_register_with_trips(type, NULL, 0, data, ops, params, 0, 0)
#define thermal_zone_device_update(zone, event) ((void)(zone), (void)(event))
#define thermal_zone_get_zone_by_name(name) \
	((void)(name), (struct thermal_zone_device *)ERR_PTR(-ENODEV))
/* No description of the machine names a sensor. */
#define devm_thermal_of_zone_register(dev, id, data, ops) \
	((void)(dev), (void)(id), (void)(data), (void)(ops), \
	 (struct thermal_zone_device *)ERR_PTR(-ENODEV))

#endif
