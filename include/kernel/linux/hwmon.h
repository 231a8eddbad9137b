/* SPDX-License-Identifier: MIT */
/*
 * Sensors of a module's: /sys/class/hwmon/hwmonN with name, tempN_input and so on, N from 1 on and
 * for voltages (inN) from 0 on.
 */
#ifndef _HWMON_H_
#define _HWMON_H_

#include <linux/bitops.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/types.h>
#include <usermm/compiler.h>

struct attribute_group;

enum hwmon_sensor_types {
	hwmon_chip, hwmon_temp, hwmon_in, hwmon_curr, hwmon_power, hwmon_energy, hwmon_energy64,
	hwmon_humidity, hwmon_fan, hwmon_pwm, hwmon_intrusion, hwmon_max,
};

/* What there is of each kind of sensor. */
#define USERMM_HWMON_CHIP(X) \
	X(chip, temp_reset_history) X(chip, in_reset_history) \
	X(chip, curr_reset_history) X(chip, power_reset_history) X(chip, register_tz) \
	X(chip, update_interval) X(chip, update_interval_us) X(chip, alarms) \
	X(chip, samples) X(chip, curr_samples) X(chip, in_samples) \
	X(chip, power_samples) X(chip, temp_samples) X(chip, beep_enable) X(chip, pec)
#define USERMM_HWMON_TEMP(X) \
	X(temp, enable) X(temp, input) X(temp, type) X(temp, lcrit) X(temp, lcrit_hyst) \
	X(temp, min) X(temp, min_hyst) X(temp, max) X(temp, max_hyst) X(temp, crit) \
	X(temp, crit_hyst) X(temp, emergency) X(temp, emergency_hyst) X(temp, alarm) \
	X(temp, lcrit_alarm) X(temp, min_alarm) X(temp, max_alarm) X(temp, crit_alarm) \
	X(temp, emergency_alarm) X(temp, fault) X(temp, offset) X(temp, label) \
	X(temp, lowest) X(temp, highest) X(temp, reset_history) X(temp, rated_min) \
	X(temp, rated_max) X(temp, beep)
#define USERMM_HWMON_IN(X) \
	X(in, enable) X(in, input) X(in, min) X(in, max) X(in, lcrit) X(in, crit) \
	X(in, average) X(in, lowest) X(in, highest) X(in, reset_history) X(in, label) \
	X(in, alarm) X(in, min_alarm) X(in, max_alarm) X(in, lcrit_alarm) \
	X(in, crit_alarm) X(in, rated_min) X(in, rated_max) X(in, beep) X(in, fault)
#define USERMM_HWMON_CURR(X) \
	X(curr, enable) X(curr, input) X(curr, min) X(curr, max) X(curr, lcrit) \
	X(curr, crit) X(curr, average) X(curr, lowest) X(curr, highest) \
	X(curr, reset_history) X(curr, label) X(curr, alarm) X(curr, min_alarm) \
	X(curr, max_alarm) X(curr, lcrit_alarm) X(curr, crit_alarm) X(curr, rated_min) \
	X(curr, rated_max) X(curr, beep)
#define USERMM_HWMON_POWER(X) \
	X(power, enable) X(power, average) X(power, average_interval) \
	X(power, average_interval_max) X(power, average_interval_min) \
	X(power, average_highest) X(power, average_lowest) X(power, average_max) \
	X(power, average_min) X(power, input) X(power, input_highest) \
	X(power, input_lowest) X(power, reset_history) X(power, accuracy) X(power, cap) \
	X(power, cap_hyst) X(power, cap_max) X(power, cap_min) X(power, min) \
	X(power, max) X(power, crit) X(power, lcrit) X(power, label) X(power, alarm) \
	X(power, cap_alarm) X(power, min_alarm) X(power, max_alarm) \
	X(power, lcrit_alarm) X(power, crit_alarm) X(power, rated_min) \
	X(power, rated_max)
#define USERMM_HWMON_ENERGY(X) \
	X(energy, enable) X(energy, input) X(energy, label)
#define USERMM_HWMON_HUMIDITY(X) \
	X(humidity, enable) X(humidity, input) X(humidity, label) X(humidity, min) \
	X(humidity, min_hyst) X(humidity, max) X(humidity, max_hyst) X(humidity, alarm) \
	X(humidity, fault) X(humidity, rated_min) X(humidity, rated_max) \
	X(humidity, min_alarm) X(humidity, max_alarm)
#define USERMM_HWMON_FAN(X) \
	X(fan, enable) X(fan, input) X(fan, label) X(fan, min) X(fan, max) X(fan, div) \
	X(fan, pulses) X(fan, target) X(fan, alarm) X(fan, min_alarm) X(fan, max_alarm) \
	X(fan, fault) X(fan, beep)
#define USERMM_HWMON_PWM(X) \
	X(pwm, input) X(pwm, enable) X(pwm, mode) X(pwm, freq) \
	X(pwm, auto_channels_temp)
#define USERMM_HWMON_INTRUSION(X) \
	X(intrusion, alarm) X(intrusion, beep)

#define USERMM_HWMON_ENUM(kind, name) hwmon_##kind##_##name,
enum hwmon_chip_attributes { USERMM_HWMON_CHIP(USERMM_HWMON_ENUM) };
enum hwmon_temp_attributes { USERMM_HWMON_TEMP(USERMM_HWMON_ENUM) };
enum hwmon_in_attributes { USERMM_HWMON_IN(USERMM_HWMON_ENUM) };
enum hwmon_curr_attributes { USERMM_HWMON_CURR(USERMM_HWMON_ENUM) };
enum hwmon_power_attributes { USERMM_HWMON_POWER(USERMM_HWMON_ENUM) };
enum hwmon_energy_attributes { USERMM_HWMON_ENERGY(USERMM_HWMON_ENUM) };
enum hwmon_humidity_attributes { USERMM_HWMON_HUMIDITY(USERMM_HWMON_ENUM) };
enum hwmon_fan_attributes { USERMM_HWMON_FAN(USERMM_HWMON_ENUM) };
enum hwmon_pwm_attributes { USERMM_HWMON_PWM(USERMM_HWMON_ENUM) };
enum hwmon_intrusion_attributes { USERMM_HWMON_INTRUSION(USERMM_HWMON_ENUM) };
#undef USERMM_HWMON_ENUM

#define HWMON_C_TEMP_RESET_HISTORY BIT(hwmon_chip_temp_reset_history)
#define HWMON_C_IN_RESET_HISTORY BIT(hwmon_chip_in_reset_history)
#define HWMON_C_CURR_RESET_HISTORY BIT(hwmon_chip_curr_reset_history)
#define HWMON_C_POWER_RESET_HISTORY BIT(hwmon_chip_power_reset_history)
#define HWMON_C_REGISTER_TZ BIT(hwmon_chip_register_tz)
#define HWMON_C_UPDATE_INTERVAL BIT(hwmon_chip_update_interval)
#define HWMON_C_UPDATE_INTERVAL_US BIT(hwmon_chip_update_interval_us)
#define HWMON_C_ALARMS BIT(hwmon_chip_alarms)
#define HWMON_C_SAMPLES BIT(hwmon_chip_samples)
#define HWMON_C_CURR_SAMPLES BIT(hwmon_chip_curr_samples)
#define HWMON_C_IN_SAMPLES BIT(hwmon_chip_in_samples)
#define HWMON_C_POWER_SAMPLES BIT(hwmon_chip_power_samples)
#define HWMON_C_TEMP_SAMPLES BIT(hwmon_chip_temp_samples)
#define HWMON_C_BEEP_ENABLE BIT(hwmon_chip_beep_enable)
#define HWMON_C_PEC BIT(hwmon_chip_pec)
#define HWMON_T_ENABLE BIT(hwmon_temp_enable)
#define HWMON_T_INPUT BIT(hwmon_temp_input)
#define HWMON_T_TYPE BIT(hwmon_temp_type)
#define HWMON_T_LCRIT BIT(hwmon_temp_lcrit)
#define HWMON_T_LCRIT_HYST BIT(hwmon_temp_lcrit_hyst)
#define HWMON_T_MIN BIT(hwmon_temp_min)
#define HWMON_T_MIN_HYST BIT(hwmon_temp_min_hyst)
#define HWMON_T_MAX BIT(hwmon_temp_max)
#define HWMON_T_MAX_HYST BIT(hwmon_temp_max_hyst)
#define HWMON_T_CRIT BIT(hwmon_temp_crit)
#define HWMON_T_CRIT_HYST BIT(hwmon_temp_crit_hyst)
#define HWMON_T_EMERGENCY BIT(hwmon_temp_emergency)
#define HWMON_T_EMERGENCY_HYST BIT(hwmon_temp_emergency_hyst)
#define HWMON_T_ALARM BIT(hwmon_temp_alarm)
#define HWMON_T_MIN_ALARM BIT(hwmon_temp_min_alarm)
#define HWMON_T_MAX_ALARM BIT(hwmon_temp_max_alarm)
#define HWMON_T_CRIT_ALARM BIT(hwmon_temp_crit_alarm)
#define HWMON_T_LCRIT_ALARM BIT(hwmon_temp_lcrit_alarm)
#define HWMON_T_EMERGENCY_ALARM BIT(hwmon_temp_emergency_alarm)
#define HWMON_T_FAULT BIT(hwmon_temp_fault)
#define HWMON_T_OFFSET BIT(hwmon_temp_offset)
#define HWMON_T_LABEL BIT(hwmon_temp_label)
#define HWMON_T_LOWEST BIT(hwmon_temp_lowest)
#define HWMON_T_HIGHEST BIT(hwmon_temp_highest)
#define HWMON_T_RESET_HISTORY BIT(hwmon_temp_reset_history)
#define HWMON_T_RATED_MIN BIT(hwmon_temp_rated_min)
#define HWMON_T_RATED_MAX BIT(hwmon_temp_rated_max)
#define HWMON_T_BEEP BIT(hwmon_temp_beep)
#define HWMON_I_ENABLE BIT(hwmon_in_enable)
#define HWMON_I_INPUT BIT(hwmon_in_input)
#define HWMON_I_MIN BIT(hwmon_in_min)
#define HWMON_I_MAX BIT(hwmon_in_max)
#define HWMON_I_LCRIT BIT(hwmon_in_lcrit)
#define HWMON_I_CRIT BIT(hwmon_in_crit)
#define HWMON_I_AVERAGE BIT(hwmon_in_average)
#define HWMON_I_LOWEST BIT(hwmon_in_lowest)
#define HWMON_I_HIGHEST BIT(hwmon_in_highest)
#define HWMON_I_RESET_HISTORY BIT(hwmon_in_reset_history)
#define HWMON_I_LABEL BIT(hwmon_in_label)
#define HWMON_I_ALARM BIT(hwmon_in_alarm)
#define HWMON_I_MIN_ALARM BIT(hwmon_in_min_alarm)
#define HWMON_I_MAX_ALARM BIT(hwmon_in_max_alarm)
#define HWMON_I_LCRIT_ALARM BIT(hwmon_in_lcrit_alarm)
#define HWMON_I_CRIT_ALARM BIT(hwmon_in_crit_alarm)
#define HWMON_I_RATED_MIN BIT(hwmon_in_rated_min)
#define HWMON_I_RATED_MAX BIT(hwmon_in_rated_max)
#define HWMON_I_BEEP BIT(hwmon_in_beep)
#define HWMON_I_FAULT BIT(hwmon_in_fault)
#define HWMON_C_ENABLE BIT(hwmon_curr_enable)
#define HWMON_C_INPUT BIT(hwmon_curr_input)
#define HWMON_C_MIN BIT(hwmon_curr_min)
#define HWMON_C_MAX BIT(hwmon_curr_max)
#define HWMON_C_LCRIT BIT(hwmon_curr_lcrit)
#define HWMON_C_CRIT BIT(hwmon_curr_crit)
#define HWMON_C_AVERAGE BIT(hwmon_curr_average)
#define HWMON_C_LOWEST BIT(hwmon_curr_lowest)
#define HWMON_C_HIGHEST BIT(hwmon_curr_highest)
#define HWMON_C_RESET_HISTORY BIT(hwmon_curr_reset_history)
#define HWMON_C_LABEL BIT(hwmon_curr_label)
#define HWMON_C_ALARM BIT(hwmon_curr_alarm)
#define HWMON_C_MIN_ALARM BIT(hwmon_curr_min_alarm)
#define HWMON_C_MAX_ALARM BIT(hwmon_curr_max_alarm)
#define HWMON_C_LCRIT_ALARM BIT(hwmon_curr_lcrit_alarm)
#define HWMON_C_CRIT_ALARM BIT(hwmon_curr_crit_alarm)
#define HWMON_C_RATED_MIN BIT(hwmon_curr_rated_min)
#define HWMON_C_RATED_MAX BIT(hwmon_curr_rated_max)
#define HWMON_C_BEEP BIT(hwmon_curr_beep)
#define HWMON_P_ENABLE BIT(hwmon_power_enable)
#define HWMON_P_AVERAGE BIT(hwmon_power_average)
#define HWMON_P_AVERAGE_INTERVAL BIT(hwmon_power_average_interval)
#define HWMON_P_AVERAGE_INTERVAL_MAX BIT(hwmon_power_average_interval_max)
#define HWMON_P_AVERAGE_INTERVAL_MIN BIT(hwmon_power_average_interval_min)
#define HWMON_P_AVERAGE_HIGHEST BIT(hwmon_power_average_highest)
#define HWMON_P_AVERAGE_LOWEST BIT(hwmon_power_average_lowest)
#define HWMON_P_AVERAGE_MAX BIT(hwmon_power_average_max)
#define HWMON_P_AVERAGE_MIN BIT(hwmon_power_average_min)
#define HWMON_P_INPUT BIT(hwmon_power_input)
#define HWMON_P_INPUT_HIGHEST BIT(hwmon_power_input_highest)
#define HWMON_P_INPUT_LOWEST BIT(hwmon_power_input_lowest)
#define HWMON_P_RESET_HISTORY BIT(hwmon_power_reset_history)
#define HWMON_P_ACCURACY BIT(hwmon_power_accuracy)
#define HWMON_P_CAP BIT(hwmon_power_cap)
#define HWMON_P_CAP_HYST BIT(hwmon_power_cap_hyst)
#define HWMON_P_CAP_MAX BIT(hwmon_power_cap_max)
#define HWMON_P_CAP_MIN BIT(hwmon_power_cap_min)
#define HWMON_P_MIN BIT(hwmon_power_min)
#define HWMON_P_MAX BIT(hwmon_power_max)
#define HWMON_P_LCRIT BIT(hwmon_power_lcrit)
#define HWMON_P_CRIT BIT(hwmon_power_crit)
#define HWMON_P_LABEL BIT(hwmon_power_label)
#define HWMON_P_ALARM BIT(hwmon_power_alarm)
#define HWMON_P_CAP_ALARM BIT(hwmon_power_cap_alarm)
#define HWMON_P_MIN_ALARM BIT(hwmon_power_min_alarm)
#define HWMON_P_MAX_ALARM BIT(hwmon_power_max_alarm)
#define HWMON_P_LCRIT_ALARM BIT(hwmon_power_lcrit_alarm)
#define HWMON_P_CRIT_ALARM BIT(hwmon_power_crit_alarm)
#define HWMON_P_RATED_MIN BIT(hwmon_power_rated_min)
#define HWMON_P_RATED_MAX BIT(hwmon_power_rated_max)
#define HWMON_E_ENABLE BIT(hwmon_energy_enable)
#define HWMON_E_INPUT BIT(hwmon_energy_input)
#define HWMON_E_LABEL BIT(hwmon_energy_label)
#define HWMON_H_ENABLE BIT(hwmon_humidity_enable)
#define HWMON_H_INPUT BIT(hwmon_humidity_input)
#define HWMON_H_LABEL BIT(hwmon_humidity_label)
#define HWMON_H_MIN BIT(hwmon_humidity_min)
#define HWMON_H_MIN_HYST BIT(hwmon_humidity_min_hyst)
#define HWMON_H_MAX BIT(hwmon_humidity_max)
#define HWMON_H_MAX_HYST BIT(hwmon_humidity_max_hyst)
#define HWMON_H_ALARM BIT(hwmon_humidity_alarm)
#define HWMON_H_FAULT BIT(hwmon_humidity_fault)
#define HWMON_H_RATED_MIN BIT(hwmon_humidity_rated_min)
#define HWMON_H_RATED_MAX BIT(hwmon_humidity_rated_max)
#define HWMON_H_MIN_ALARM BIT(hwmon_humidity_min_alarm)
#define HWMON_H_MAX_ALARM BIT(hwmon_humidity_max_alarm)
#define HWMON_F_ENABLE BIT(hwmon_fan_enable)
#define HWMON_F_INPUT BIT(hwmon_fan_input)
#define HWMON_F_LABEL BIT(hwmon_fan_label)
#define HWMON_F_MIN BIT(hwmon_fan_min)
#define HWMON_F_MAX BIT(hwmon_fan_max)
#define HWMON_F_DIV BIT(hwmon_fan_div)
#define HWMON_F_PULSES BIT(hwmon_fan_pulses)
#define HWMON_F_TARGET BIT(hwmon_fan_target)
#define HWMON_F_ALARM BIT(hwmon_fan_alarm)
#define HWMON_F_MIN_ALARM BIT(hwmon_fan_min_alarm)
#define HWMON_F_MAX_ALARM BIT(hwmon_fan_max_alarm)
#define HWMON_F_FAULT BIT(hwmon_fan_fault)
#define HWMON_F_BEEP BIT(hwmon_fan_beep)
#define HWMON_PWM_INPUT BIT(hwmon_pwm_input)
#define HWMON_PWM_ENABLE BIT(hwmon_pwm_enable)
#define HWMON_PWM_MODE BIT(hwmon_pwm_mode)
#define HWMON_PWM_FREQ BIT(hwmon_pwm_freq)
#define HWMON_PWM_AUTO_CHANNELS_TEMP BIT(hwmon_pwm_auto_channels_temp)
#define HWMON_INTRUSION_ALARM BIT(hwmon_intrusion_alarm)
#define HWMON_INTRUSION_BEEP BIT(hwmon_intrusion_beep)

struct hwmon_ops {
	umode_t visible;		/* mode of all; 0: is_visible() tells it */
	umode_t (*is_visible)(const void *data, enum hwmon_sensor_types type, u32 attr,
			      int channel);
	int (*read)(struct device *dev, enum hwmon_sensor_types type, u32 attr, int channel,
		    long *value);
	int (*read_string)(struct device *dev, enum hwmon_sensor_types type, u32 attr,
			   int channel, const char **text);
	int (*write)(struct device *dev, enum hwmon_sensor_types type, u32 attr, int channel,
		     long value);
};

/* Sensors of one type: a word of HWMON_ flags for each, with a 0 behind the last. */
struct hwmon_channel_info {
	enum hwmon_sensor_types type;
	const u32 *config;
};

#define HWMON_CHANNEL_INFO(stype, ...)						\
	(&(const struct hwmon_channel_info){					\
		.type = hwmon_##stype,						\
		.config = (const u32[]){ __VA_ARGS__, 0 },			\
	})

struct hwmon_chip_info {
	const struct hwmon_ops *ops;
	const struct hwmon_channel_info *const *info;
};

USERMM_BEGIN_DECLS

/*
 * The new device, or an error pointer: -EINVAL without a name, with '-', '*' or spaces in it, or
 * without what the operations need.
 */
struct device *hwmon_device_register_with_info(struct device *parent, const char *name,
					       void *data, const struct hwmon_chip_info *chip,
					       const struct attribute_group **extra)
	USERMM_API(hwmon_device_register_with_info);
struct device *devm_hwmon_device_register_with_info(struct device *parent, const char *name,
						    void *data,
						    const struct hwmon_chip_info *chip,
						    const struct attribute_group **extra)
	USERMM_API(devm_hwmon_device_register_with_info);
/* With attributes that the module makes itself. */
struct device *hwmon_device_register_with_groups(struct device *parent, const char *name,
						 void *data,
						 const struct attribute_group **groups)
	USERMM_API(hwmon_device_register_with_groups);
struct device *devm_hwmon_device_register_with_groups(struct device *parent, const char *name,
						      void *data,
						      const struct attribute_group **groups)
	USERMM_API(devm_hwmon_device_register_with_groups);
void hwmon_device_unregister(struct device *dev) USERMM_API(hwmon_device_unregister);
/* Wakes those who poll the attribute. */
int hwmon_notify_event(struct device *dev, enum hwmon_sensor_types type, u32 attr, int channel)
	USERMM_API(hwmon_notify_event);

USERMM_END_DECLS

static inline bool hwmon_is_bad_char(const char c)
{
	return c == '-' || c == '*' || c == ' ' || c == '\t' || c == '\n';
}

#endif
