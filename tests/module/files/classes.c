// SPDX-License-Identifier: MIT
/* Sensors, supplies, zones, lights and variables, which a script reads and writes. */
#include <linux/backlight.h>
#include <linux/hwmon.h>
#include <linux/input/mt.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/power_supply.h>
#include <linux/sysctl.h>
#include <linux/sysrq.h>
#include <linux/thermal.h>
#include <linux/uio_driver.h>
#include <linux/version.h>

static struct platform_device *parent;
static struct device *sensor;
static struct power_supply *supply;
static struct thermal_zone_device *zone;
static struct thermal_cooling_device *fan;
static struct backlight_device *light;
static struct ctl_table_header *variables;
static long limit = 90000;
static unsigned long fan_state;

static umode_t sensor_visible(const void *data, enum hwmon_sensor_types type, u32 attr, int channel)
{
	(void)data;
	if (type == hwmon_temp && attr == hwmon_temp_max)
		return 0644;
	return type == hwmon_temp && attr == hwmon_temp_label && channel ? 0 : 0444;
}

static int sensor_read(struct device *dev, enum hwmon_sensor_types type, u32 attr, int channel,
		       long *value)
{
	(void)dev;
	*value = attr == hwmon_temp_max && type == hwmon_temp ? limit : 1000 * type + channel;
	return 0;
}

static int sensor_label(struct device *dev, enum hwmon_sensor_types type, u32 attr, int channel,
			const char **text)
{
	(void)dev, (void)type, (void)attr, (void)channel;
	*text = "board";
	return 0;
}

static int sensor_write(struct device *dev, enum hwmon_sensor_types type, u32 attr, int channel,
			long value)
{
	(void)dev, (void)type, (void)attr, (void)channel;
	if (value < 0)
		return -ERANGE;
	limit = value;
	return 0;
}

static const struct hwmon_ops sensor_ops = {
	.is_visible = sensor_visible, .read = sensor_read, .read_string = sensor_label,
	.write = sensor_write,
};
static const struct hwmon_channel_info *const sensor_info[] = {
	HWMON_CHANNEL_INFO(temp, HWMON_T_INPUT | HWMON_T_MAX | HWMON_T_LABEL,
			   HWMON_T_INPUT | HWMON_T_LABEL),
	HWMON_CHANNEL_INFO(in, HWMON_I_INPUT), HWMON_CHANNEL_INFO(pwm, HWMON_PWM_INPUT), NULL,
};
static const struct hwmon_chip_info sensor_chip = { &sensor_ops, sensor_info };

static int supply_get(struct power_supply *which, enum power_supply_property property,
		      union power_supply_propval *value)
{
	(void)which;
	if (property == POWER_SUPPLY_PROP_MODEL_NAME)
		value->strval = "cell";
	else
		value->intval = property == POWER_SUPPLY_PROP_STATUS ?
				POWER_SUPPLY_STATUS_DISCHARGING : 77;
	return 0;
}

static const enum power_supply_property supply_properties[] = {
	POWER_SUPPLY_PROP_STATUS, POWER_SUPPLY_PROP_CAPACITY, POWER_SUPPLY_PROP_MODEL_NAME,
};
static const struct power_supply_desc supply_desc = {
	.name = "battery", .type = POWER_SUPPLY_TYPE_BATTERY, .properties = supply_properties,
	.num_properties = ARRAY_SIZE(supply_properties), .get_property = supply_get,
};

static int zone_temperature(struct thermal_zone_device *which, int *temperature)
{
	*temperature = *(int *)thermal_zone_device_priv(which);
	return 0;
}

static int zone_data = 45000;
static const struct thermal_zone_device_ops zone_ops = { .get_temp = zone_temperature };

static int fan_most(struct thermal_cooling_device *which, unsigned long *state)
{
	(void)which;
	*state = 3;
	return 0;
}

static int fan_get(struct thermal_cooling_device *which, unsigned long *state)
{
	(void)which;
	*state = fan_state;
	return 0;
}

static int fan_set(struct thermal_cooling_device *which, unsigned long state)
{
	(void)which;
	fan_state = state;
	return 0;
}

static const struct thermal_cooling_device_ops fan_ops = { fan_most, fan_get, fan_set };

static int light_update(struct backlight_device *which)
{
	return backlight_get_brightness(which) == 13 ? -EIO : 0;
}

static const struct backlight_ops light_ops = { .update_status = light_update };

static int number = 5, least = 0, most = 10, pair[2] = { 1, 2 }, delay;
static unsigned int count = 3;
static bool flag;
static u8 byte = 1;
static char text[8] = "text";
static const struct ctl_table table[] = {
	{ .procname = "number", .data = &number, .maxlen = sizeof(number), .mode = 0644,
	  .proc_handler = proc_dointvec_minmax, .extra1 = &least, .extra2 = &most },
	{ .procname = "pair", .data = pair, .maxlen = sizeof(pair), .mode = 0644,
	  .proc_handler = proc_dointvec },
	{ .procname = "count", .data = &count, .maxlen = sizeof(count), .mode = 0644,
	  .proc_handler = proc_douintvec_minmax, .extra2 = SYSCTL_ONE_HUNDRED },
	{ .procname = "fixed", .data = &count, .maxlen = sizeof(count), .mode = 0444,
	  .proc_handler = proc_douintvec },
	{ .procname = "flag", .data = &flag, .maxlen = sizeof(flag), .mode = 0644,
	  .proc_handler = proc_dobool },
	{ .procname = "byte", .data = &byte, .maxlen = sizeof(byte), .mode = 0644,
	  .proc_handler = proc_dou8vec_minmax },
	{ .procname = "delay", .data = &delay, .maxlen = sizeof(delay), .mode = 0644,
	  .proc_handler = proc_dointvec_ms_jiffies },
	{ .procname = "text", .data = text, .maxlen = sizeof(text), .mode = 0644,
	  .proc_handler = proc_dostring },
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
	{ }	/* register_sysctl() did not know the table's size */
#endif
};

static struct uio_info uio = { .name = "card", .version = "1", .irq = UIO_IRQ_CUSTOM };

/* A program's write to the file is an interrupt. */
static int uio_control(struct uio_info *info, s32 on)
{
	if (on)
		uio_event_notify(info);
	return 0;
}

static int add_contacts(void)
{
	struct input_dev *touch = input_allocate_device();

	if (!touch || input_mt_init_slots(touch, 2, INPUT_MT_DIRECT | INPUT_MT_DROP_UNUSED) ||
	    input_mt_init_slots(touch, 3, 0) != -EINVAL)
		return -EIO;
	touch->name = "touch";
	input_set_abs_params(touch, ABS_MT_POSITION_X, 0, 100, 0, 0);
	if (input_register_device(touch))
		return -EIO;
	input_mt_slot(touch, 1);
	input_mt_report_slot_state(touch, MT_TOOL_FINGER, true);
	input_mt_sync_frame(touch);
	pr_info("contact %d, touched %d\n", input_abs_get_val(touch, ABS_MT_TRACKING_ID),
		test_bit(BTN_TOUCH, touch->key));
	input_mt_sync_frame(touch);
	pr_info("unseen contact %d, touched %d\n", input_abs_get_val(touch, ABS_MT_TRACKING_ID),
		test_bit(BTN_TOUCH, touch->key));
	input_unregister_device(touch);
	return 0;
}

static int __init classes_init(void)
{
	struct backlight_properties properties = { .max_brightness = 100, .brightness = 50 };
	static const struct sysrq_key_op key = { .action_msg = "nothing" };

	uio.irqcontrol = uio_control;
	parent = platform_device_register_simple("classes", -1, NULL, 0);
	sensor = hwmon_device_register_with_info(&parent->dev, "demo", NULL, &sensor_chip, NULL);
	supply = power_supply_register(&parent->dev, &supply_desc, NULL);
	zone = thermal_tripless_zone_device_register("zone", &zone_data, &zone_ops, NULL);
	fan = thermal_cooling_device_register("fan", NULL, &fan_ops);
	light = backlight_device_register("panel", NULL, NULL, &light_ops, &properties);
	variables = register_sysctl("kernel/classes", table);
	pr_info("bad name %ld, table twice %d\n",
		PTR_ERR(hwmon_device_register_with_info(&parent->dev, "a-b", NULL, &sensor_chip,
							NULL)),
		register_sysctl("kernel/classes", table) != NULL);
	pr_info("key %d\n", register_sysrq_key('y', &key));
	pr_info("again %d\n", register_sysrq_key('y', &key));
	pr_info("other's %d\n", unregister_sysrq_key('y', NULL));
	pr_info("end %d\n", unregister_sysrq_key('y', &key));
	if (IS_ERR(sensor) || IS_ERR(supply) || IS_ERR(zone) || IS_ERR(fan) || IS_ERR(light) ||
	    !variables || uio_register_device(&parent->dev, &uio))
		return -EIO;
	return add_contacts();
}

static void __exit classes_exit(void)
{
	uio_unregister_device(&uio);
	unregister_sysctl_table(variables);
	backlight_device_unregister(light);
	thermal_cooling_device_unregister(fan);
	thermal_zone_device_unregister(zone);
	power_supply_unregister(supply);
	hwmon_device_unregister(sensor);
	platform_device_unregister(parent);
}

module_init(classes_init);
module_exit(classes_exit);
MODULE_DESCRIPTION("Devices of classes, and variables");
MODULE_LICENSE("GPL");
