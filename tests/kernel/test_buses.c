// SPDX-License-Identifier: MIT
/* Buses whose adapters, devices and drivers a module makes itself; and buses without any device. */
#include <kunit/test.h>
#include <linux/device.h>
#include <linux/gpio.h>
#include <linux/gpio/driver.h>
#include <linux/hid.h>
#include <linux/i2c.h>
#include <linux/input.h>
#include <linux/leds.h>
#include <linux/namei.h>
#include <linux/notifier.h>
#include <linux/pci.h>
#include <linux/spi/spi.h>
#include <linux/sysfs.h>
#include <linux/usb.h>
#include <linux/wmi.h>

static u8 registers[256];
static int nr_probed, nr_removed;

/* A device at address 0x50: the first byte is a register's number, further ones are written. */
static int transfer(struct i2c_adapter *adapter, struct i2c_msg *messages, int n)
{
	static u8 number;

	(void)adapter;
	for (int i = 0; i < n; i++) {
		if (messages[i].addr != 0x50)
			return -ENXIO;
		if (messages[i].flags & I2C_M_RD) {
			memcpy(messages[i].buf, registers + number, messages[i].len);
		} else {
			number = messages[i].buf[0];
			memcpy(registers + number, messages[i].buf + 1, messages[i].len - 1U);
		}
	}
	return n;
}

static u32 functions(struct i2c_adapter *adapter)
{
	(void)adapter;
	return I2C_FUNC_I2C | I2C_FUNC_SMBUS_EMUL;
}

static const struct i2c_algorithm algorithm = { .xfer = transfer, .functionality = functions };

static int i2c_probe(struct i2c_client *client)
{
	nr_probed++;
	return i2c_smbus_write_byte_data(client, 1, 0x5a);
}

static void i2c_remove(struct i2c_client *client)
{
	(void)client;
	nr_removed++;
}

static const struct i2c_device_id i2c_ids[] = { { "memory", 7 }, { } };
static struct i2c_driver i2c_driver = {
	.driver = { .name = "memory" }, .probe = i2c_probe, .remove = i2c_remove,
	.id_table = i2c_ids,
};

static void test_i2c_clients_meet_drivers(struct kunit *test)
{
	static struct i2c_adapter adapter = { .name = "adapter", .algo = &algorithm, .nr = 3 };
	struct i2c_board_info info = { I2C_BOARD_INFO("memory", 0x50) };
	struct i2c_client *client, *other;
	u8 bytes[4] = { 0 };

	nr_probed = nr_removed = 0;
	KUNIT_EXPECT_NULL(test, i2c_get_adapter(3));
	KUNIT_ASSERT_EQ(test, i2c_add_numbered_adapter(&adapter), 0);
	KUNIT_EXPECT_PTR_EQ(test, i2c_get_adapter(3), &adapter);
	KUNIT_ASSERT_EQ(test, i2c_add_driver(&i2c_driver), 0);
	client = i2c_new_client_device(&adapter, &info);
	KUNIT_ASSERT_FALSE(test, IS_ERR(client));
	KUNIT_EXPECT_EQ(test, nr_probed, 1);
	KUNIT_EXPECT_EQ(test, registers[1], 0x5a);
	KUNIT_EXPECT_EQ(test, i2c_client_get_device_id(client)->driver_data, 7UL);
	other = i2c_new_client_device(&adapter, &info);
	KUNIT_EXPECT_EQ(test, PTR_ERR(other), -EBUSY);
	info.addr = 0x80;
	KUNIT_EXPECT_EQ(test, PTR_ERR(i2c_new_client_device(&adapter, &info)), -EINVAL);

	KUNIT_EXPECT_EQ(test, i2c_smbus_write_word_data(client, 4, 0x1234), 0);
	KUNIT_EXPECT_EQ(test, (int)registers[4], 0x34);		/* the low byte comes first */
	KUNIT_EXPECT_EQ(test, (int)registers[5], 0x12);
	KUNIT_EXPECT_EQ(test, i2c_smbus_read_word_data(client, 4), 0x1234);
	KUNIT_EXPECT_EQ(test, i2c_smbus_read_word_swapped(client, 4), 0x3412);
	KUNIT_EXPECT_EQ(test, i2c_smbus_read_byte_data(client, 1), 0x5a);
	KUNIT_EXPECT_EQ(test, i2c_smbus_write_i2c_block_data(client, 8, 3, (u8 *)"abc"), 0);
	KUNIT_EXPECT_EQ(test, i2c_smbus_read_i2c_block_data(client, 8, 3, bytes), 3);
	KUNIT_EXPECT_STREQ(test, (char *)bytes, "abc");
	KUNIT_EXPECT_EQ(test, i2c_master_send(client, "\x09", 1), 1);
	KUNIT_EXPECT_EQ(test, i2c_smbus_read_byte(client), 'b');
	KUNIT_EXPECT_EQ(test, i2c_transfer(&adapter, NULL, 0), -EINVAL);

	i2c_del_driver(&i2c_driver);
	KUNIT_EXPECT_EQ(test, nr_removed, 1);
	i2c_unregister_device(client);
	i2c_del_adapter(&adapter);
	KUNIT_EXPECT_NULL(test, i2c_get_adapter(3));
}

static int echo(struct spi_controller *controller, struct spi_device *spi,
		struct spi_transfer *transfer)
{
	u8 *own = spi_controller_get_devdata(controller);

	(void)spi;
	for (unsigned int i = 0; i < transfer->len; i++) {
		if (transfer->tx_buf)
			*own = ((const u8 *)transfer->tx_buf)[i];
		if (transfer->rx_buf)
			((u8 *)transfer->rx_buf)[i] = (u8)~*own;
	}
	return 0;
}

static void test_spi_devices_transfer(struct kunit *test)
{
	struct spi_controller *controller = spi_alloc_host(NULL, 1);
	struct spi_board_info info = { .modalias = "echo", .max_speed_hz = 1000 };
	struct spi_device *spi;

	KUNIT_ASSERT_NOT_NULL(test, controller);
	KUNIT_EXPECT_EQ(test, spi_register_controller(controller), -EINVAL);
	KUNIT_EXPECT_NULL(test, spi_busnum_to_master(5));
	controller->bus_num = 5;
	controller->transfer_one = echo;
	KUNIT_ASSERT_EQ(test, spi_register_controller(controller), 0);
	KUNIT_EXPECT_PTR_EQ(test, spi_busnum_to_master(5), controller);
	spi_controller_put(controller);
	spi = spi_new_device(controller, &info);
	KUNIT_ASSERT_NOT_NULL(test, spi);
	KUNIT_EXPECT_EQ(test, spi->bits_per_word, 8);
	KUNIT_EXPECT_NULL(test, spi_new_device(controller, &info));
	info.chip_select = 1;
	KUNIT_EXPECT_NULL(test, spi_new_device(controller, &info));
	KUNIT_EXPECT_EQ(test, spi_w8r8(spi, 0x0f), (ssize_t)0xf0);
	KUNIT_EXPECT_EQ(test, spi_w8r16be(spi, 0x0f), (ssize_t)0xf0f0);
	KUNIT_EXPECT_EQ(test, spi_write(spi, "ab", 2), 0);
	spi_unregister_device(spi);
	spi_unregister_controller(controller);
	KUNIT_EXPECT_NULL(test, spi_busnum_to_master(5));
}

static int no_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	(void)pdev;
	(void)id;
	nr_probed++;
	return 0;
}

/* Drivers of devices that the machine lacks: registered, and never probed. */
static void test_buses_without_devices(struct kunit *test)
{
	static struct pci_driver pci = { .name = "absent", .probe = no_probe }, again;
	static struct usb_driver usb = { .name = "absent" };
	static struct hid_driver hid = { .name = "absent" };
	struct pci_dev *pdev = NULL;
	struct urb *urb = usb_alloc_urb(2, GFP_KERNEL);
	struct path folder;

	nr_probed = 0;
	again = pci;
	KUNIT_EXPECT_EQ(test, pci_register_driver(&pci), 0);
	KUNIT_EXPECT_EQ(test, pci_register_driver(&again), -EBUSY);
	KUNIT_EXPECT_EQ(test, kern_path("/sys/bus/pci/drivers/absent", 0, &folder), 0);
	path_put(&folder);
	KUNIT_EXPECT_EQ(test, usb_register(&usb), 0);
	KUNIT_EXPECT_EQ(test, hid_register_driver(&hid), 0);
	KUNIT_EXPECT_EQ(test, nr_probed, 0);
	for_each_pci_dev(pdev)
		nr_probed++;
	KUNIT_EXPECT_EQ(test, nr_probed, 0);
	KUNIT_ASSERT_NOT_NULL(test, urb);
	KUNIT_EXPECT_EQ(test, usb_submit_urb(urb, GFP_KERNEL), -EINVAL);
	usb_free_urb(urb);
	hid_unregister_driver(&hid);
	usb_deregister(&usb);
	pci_unregister_driver(&pci);
	KUNIT_EXPECT_EQ(test, kern_path("/sys/bus/pci/drivers/absent", 0, &folder), -ENOENT);
}

static void test_gpio_descriptors(struct kunit *test)
{
	struct gpio_desc *line = gpio_to_desc(20);

	KUNIT_ASSERT_NOT_NULL(test, line);
	KUNIT_EXPECT_NULL(test, gpio_to_desc(ARCH_NR_GPIOS));
	KUNIT_EXPECT_EQ(test, desc_to_gpio(line), 20);
	KUNIT_EXPECT_EQ(test, gpiod_get_direction(line), 1);
	KUNIT_EXPECT_EQ(test, gpiod_direction_output(line, 1), 0);
	KUNIT_EXPECT_EQ(test, gpiod_get_direction(line), 0);
	KUNIT_EXPECT_EQ(test, gpio_get_value(20), 1);
	gpiod_set_value(line, 0);
	KUNIT_EXPECT_EQ(test, gpiod_get_value(line), 0);
	KUNIT_EXPECT_EQ(test, gpiod_to_irq(line), gpio_to_irq(20));
	KUNIT_EXPECT_EQ(test, gpiod_get_value(NULL), 0);
	KUNIT_EXPECT_EQ(test, PTR_ERR(gpiod_get(NULL, "led", GPIOD_OUT_LOW)), -ENOENT);
	KUNIT_EXPECT_NULL(test, gpiod_get_optional(NULL, "led", GPIOD_OUT_LOW));
}

static unsigned int shown;

static void show(struct led_classdev *led, enum led_brightness brightness)
{
	(void)led;
	shown = brightness;
}

static void test_leds_have_a_brightness(struct kunit *test)
{
	struct led_classdev led = { .name = "green", .max_brightness = 9, .brightness_set = show };
	struct led_classdev nameless = { .brightness_set = show };

	KUNIT_EXPECT_EQ(test, led_classdev_register(NULL, &nameless), -EINVAL);
	KUNIT_ASSERT_EQ(test, led_classdev_register(NULL, &led), 0);
	led_set_brightness(&led, 4);
	KUNIT_EXPECT_EQ(test, shown, 4U);
	led_set_brightness(&led, 100);
	KUNIT_EXPECT_EQ(test, shown, 9U);
	led_classdev_unregister(&led);
	KUNIT_EXPECT_EQ(test, shown, 0U);
}

static unsigned long told[16];
static unsigned int nr_told;
static int probe_error;

static int note_what(struct notifier_block *block, unsigned long what, void *data)
{
	(void)block;
	(void)data;
	if (nr_told < ARRAY_SIZE(told))
		told[nr_told++] = what;
	return NOTIFY_OK;
}

static int probe_with_error(struct device *dev)
{
	(void)dev;
	return probe_error;
}

static void release_nothing(struct device *dev)
{
	(void)dev;
}

static void test_bus_tells_of_its_devices(struct kunit *test)
{
	static const struct bus_type bus = { .name = "test_bus" };
	struct device_driver driver = { .name = "d", .bus = &bus, .probe = probe_with_error };
	struct notifier_block block = { .notifier_call = note_what };
	static struct device dev;
	const unsigned long all[] = {
		BUS_NOTIFY_ADD_DEVICE, BUS_NOTIFY_BIND_DRIVER, BUS_NOTIFY_DRIVER_NOT_BOUND,
		BUS_NOTIFY_DEL_DEVICE, BUS_NOTIFY_REMOVED_DEVICE,
		BUS_NOTIFY_ADD_DEVICE, BUS_NOTIFY_BIND_DRIVER, BUS_NOTIFY_BOUND_DRIVER,
		BUS_NOTIFY_DEL_DEVICE, BUS_NOTIFY_UNBIND_DRIVER, BUS_NOTIFY_UNBOUND_DRIVER,
		BUS_NOTIFY_REMOVED_DEVICE,
	};

	nr_told = 0;
	KUNIT_EXPECT_EQ(test, bus_register_notifier(&bus, &block), -EINVAL);
	KUNIT_EXPECT_EQ(test, bus_unregister_notifier(&bus, &block), -EINVAL);
	KUNIT_ASSERT_EQ(test, bus_register(&bus), 0);
	KUNIT_EXPECT_EQ(test, bus_unregister_notifier(&bus, &block), -ENOENT);
	KUNIT_EXPECT_EQ(test, bus_register_notifier(&bus, &block), 0);
	KUNIT_ASSERT_EQ(test, driver_register(&driver), 0);
	for (probe_error = -ENODEV; ; probe_error = 0) {
		memset(&dev, 0, sizeof(dev));
		dev.bus = &bus;
		dev.init_name = "dev0";
		dev.release = release_nothing;
		KUNIT_ASSERT_EQ(test, device_register(&dev), 0);
		device_unregister(&dev);
		if (!probe_error)
			break;
	}
	KUNIT_ASSERT_EQ(test, nr_told, ARRAY_SIZE(all));
	for (unsigned int i = 0; i < nr_told; i++)
		KUNIT_EXPECT_EQ(test, told[i], all[i]);
	KUNIT_EXPECT_EQ(test, bus_unregister_notifier(&bus, &block), 0);
	driver_unregister(&driver);
	bus_unregister(&bus);
}

static void test_names_of_buses_and_classes(struct kunit *test)
{
	static const struct bus_type bus = { .name = "order" }, same = { .name = "order" };
	static const struct bus_type platform = { .name = "platform" };
	static struct class own = { .name = "order" };
	struct class *class;

	KUNIT_ASSERT_EQ(test, bus_register(&bus), 0);
	KUNIT_EXPECT_EQ(test, bus_register(&bus), -EEXIST);
	KUNIT_EXPECT_EQ(test, bus_register(&same), -EEXIST);
	KUNIT_EXPECT_EQ(test, bus_register(&platform), -EEXIST);
	/* One that was refused is not the one that goes. */
	bus_unregister(&same);
	KUNIT_EXPECT_EQ(test, bus_register(&same), -EEXIST);
	bus_unregister(&bus);
	KUNIT_EXPECT_EQ(test, bus_register(&same), 0);
	bus_unregister(&same);

	class = class_create("order");
	KUNIT_ASSERT_FALSE(test, IS_ERR(class));
	KUNIT_EXPECT_EQ(test, PTR_ERR(class_create("order")), -EEXIST);
	KUNIT_EXPECT_EQ(test, class_register(class), -EEXIST);
	KUNIT_EXPECT_EQ(test, class_register(&own), -EEXIST);
	class_unregister(&own);
	KUNIT_EXPECT_EQ(test, class_register(&own), -EEXIST);
	class_destroy(class);
	KUNIT_EXPECT_EQ(test, class_register(&own), 0);
	class_unregister(&own);
}

static int nr_released;

static void count_release(struct device *dev)
{
	(void)dev;
	nr_released++;
}

static int end_at_second(struct device *dev, void *seen)
{
	(void)dev;
	return ++*(int *)seen == 2 ? -EBUSY : 0;
}

static void take_reference(struct device *dev)
{
	struct device *taken __free(put_device) = get_device(dev);
	struct device *none __free(put_device) = NULL;

	(void)taken, (void)none;
}

static void test_class_finds_devices(struct kunit *test)
{
	static struct class own = { .name = "finds" }, other = { .name = "others" };
	struct device devs[3] = { };
	struct kunit_suppressed_warning *warnings = kunit_start_suppress_warning(test);
	int seen = 0;

	KUNIT_EXPECT_EQ(test, class_for_each_device(&own, NULL, &seen, end_at_second), -EINVAL);
	KUNIT_EXPECT_NULL(test, class_find_device_by_name(&own, "dev1"));
	KUNIT_EXPECT_EQ(test, kunit_suppressed_warning_count(warnings), 2);
	KUNIT_EXPECT_EQ(test, class_for_each_device(NULL, NULL, &seen, end_at_second), -EINVAL);
	KUNIT_EXPECT_NULL(test, class_find_device(NULL, NULL, "dev1", device_match_name));
	KUNIT_EXPECT_EQ(test, kunit_suppressed_warning_count(warnings), 2);
	kunit_end_suppress_warning(test, warnings);
	KUNIT_ASSERT_EQ(test, class_register(&own), 0);
	KUNIT_ASSERT_EQ(test, class_register(&other), 0);
	nr_released = 0;
	for (unsigned int i = 0; i < 3; i++) {
		devs[i].class = i == 1 ? &other : &own;
		devs[i].devt = MKDEV(241, i);
		devs[i].release = count_release;
		dev_set_name(&devs[i], "dev%u", i);
		KUNIT_ASSERT_EQ(test, device_register(&devs[i]), 0);
	}
	KUNIT_EXPECT_NULL(test, class_find_device_by_name(&own, "dev1"));
	KUNIT_EXPECT_PTR_EQ(test, class_find_device_by_name(&own, "dev2"), &devs[2]);
	put_device(&devs[2]);
	KUNIT_EXPECT_PTR_EQ(test, class_find_device_by_devt(&own, MKDEV(241, 2)), &devs[2]);
	put_device(&devs[2]);
	KUNIT_EXPECT_PTR_EQ(test, class_find_device(&own, &devs[0], NULL, device_match_any),
			    &devs[2]);
	put_device(&devs[2]);
	KUNIT_EXPECT_NULL(test, class_find_device(&own, &devs[2], NULL, device_match_any));
	KUNIT_EXPECT_EQ(test, class_for_each_device(&own, NULL, &seen, end_at_second), -EBUSY);
	KUNIT_EXPECT_EQ(test, seen, 2);
	seen = 2;
	KUNIT_EXPECT_EQ(test, class_for_each_device(&own, &devs[0], &seen, end_at_second), 0);
	KUNIT_EXPECT_EQ(test, seen, 3);
	take_reference(&devs[0]);
	for (unsigned int i = 0; i < 3; i++)
		device_unregister(&devs[i]);
	KUNIT_EXPECT_EQ(test, nr_released, 3);
	class_unregister(&own);
	class_unregister(&other);
}

static struct attribute twice_attr = { .name = "twice", .mode = 0444 };
static struct attribute *same_names[] = { &twice_attr, &twice_attr, NULL };

static void test_buses_that_are_not_registered(struct kunit *test)
{
	static const struct bus_type bus = { .name = "unready" };
	static const struct attribute_group group = { .attrs = same_names };
	static const struct attribute_group *groups[] = { &group, NULL };
	struct device_driver driver = { .name = "d", .bus = &bus };
	struct device_driver twice = { .name = "twice", .bus = &bus, .groups = groups };
	struct device dev = { .init_name = "dev0", .bus = &bus, .release = release_nothing };
	struct kunit_suppressed_warning *warnings;

	KUNIT_ASSERT_EQ(test, device_register(&dev), -EINVAL);
	put_device(&dev);
	KUNIT_EXPECT_EQ(test, driver_register(&driver), -EINVAL);
	warnings = kunit_start_suppress_warning(test);
	driver_unregister(&driver);
	driver_unregister(NULL);
	KUNIT_EXPECT_EQ(test, kunit_suppressed_warning_count(warnings), 2);
	kunit_end_suppress_warning(test, warnings);

	KUNIT_ASSERT_EQ(test, bus_register(&bus), 0);
	memset(&dev, 0, sizeof(dev));
	dev.init_name = "dev0";
	dev.bus = &bus;
	dev.release = release_nothing;
	KUNIT_EXPECT_EQ(test, device_register(&dev), 0);
	KUNIT_EXPECT_EQ(test, driver_register(&driver), 0);
	KUNIT_EXPECT_PTR_EQ(test, dev.driver, &driver);
	driver_unregister(&driver);
	KUNIT_EXPECT_NULL(test, dev.driver);
	device_unregister(&dev);
	/* The folder of a driver whose files fail goes again. */
	KUNIT_EXPECT_EQ(test, driver_register(&twice), -EEXIST);
	twice.groups = NULL;
	KUNIT_EXPECT_EQ(test, driver_register(&twice), 0);
	driver_unregister(&twice);
	bus_unregister(&bus);
}

static ssize_t color_show(struct device *dev, struct device_attribute *attr, char *buffer)
{
	(void)dev, (void)attr;
	return sysfs_emit(buffer, "red\n");
}
static DEVICE_ATTR_RO(color);

static int count_all(struct device *dev, const void *count)
{
	(void)dev;
	++*(int *)count;
	return 0;
}

static void test_bus_finds_devices(struct kunit *test)
{
	static const struct bus_type bus = { .name = "searched" };
	struct device devs[3] = { };
	struct kernfs_node *file;
	int seen = 0;

	KUNIT_ASSERT_EQ(test, bus_register(&bus), 0);
	KUNIT_EXPECT_NULL(test, bus_find_device_by_name(&bus, NULL, "dev1"));
	for (unsigned int i = 0; i < 3; i++) {
		devs[i].bus = &bus;
		devs[i].devt = MKDEV(240, i);
		devs[i].release = release_nothing;
		dev_set_name(&devs[i], "dev%u", i);
		KUNIT_ASSERT_EQ(test, device_register(&devs[i]), 0);
	}
	KUNIT_EXPECT_PTR_EQ(test, bus_find_device_by_name(&bus, NULL, "dev1"), &devs[1]);
	put_device(&devs[1]);
	/* The search begins behind the device. */
	KUNIT_EXPECT_NULL(test, bus_find_device_by_name(&bus, &devs[1], "dev1"));
	KUNIT_EXPECT_PTR_EQ(test, bus_find_next_device(&bus, NULL), &devs[0]);
	put_device(&devs[0]);
	KUNIT_EXPECT_PTR_EQ(test, bus_find_next_device(&bus, &devs[1]), &devs[2]);
	put_device(&devs[2]);
	KUNIT_EXPECT_NULL(test, bus_find_next_device(&bus, &devs[2]));
	KUNIT_EXPECT_PTR_EQ(test, bus_find_device_by_devt(&bus, MKDEV(240, 2)), &devs[2]);
	put_device(&devs[2]);
	KUNIT_EXPECT_NULL(test, bus_find_device_by_devt(&bus, MKDEV(241, 2)));
	KUNIT_EXPECT_NULL(test, bus_find_device(&bus, NULL, &seen, count_all));
	KUNIT_EXPECT_EQ(test, seen, 3);
	KUNIT_EXPECT_NULL(test, bus_find_device_by_of_node(&bus, NULL));

	/* A device's file leads to its attribute. */
	KUNIT_EXPECT_EQ(test, device_create_file(&devs[0], &dev_attr_color), 0);
	file = sysfs_get_dirent(devs[0].kobj.sd, "color");
	KUNIT_ASSERT_NOT_NULL(test, file);
	KUNIT_EXPECT_PTR_EQ(test, file->priv, (void *)&dev_attr_color.attr);
	KUNIT_EXPECT_STREQ(test, file->name, "color");
	KUNIT_EXPECT_EQ(test, (int)file->mode, S_IFREG | 0444);
	sysfs_notify_dirent(file);
	KUNIT_EXPECT_PTR_EQ(test, sysfs_get(file), file);
	sysfs_put(file);
	device_remove_file(&devs[0], &dev_attr_color);
	KUNIT_EXPECT_STREQ(test, file->name, "color");	/* the reference keeps it */
	sysfs_put(file);
	KUNIT_EXPECT_NULL(test, sysfs_get_dirent(devs[0].kobj.sd, "color"));
	KUNIT_EXPECT_PTR_EQ(test, devs[0].kobj.sd->priv, (void *)&devs[0].kobj);
	KUNIT_EXPECT_STREQ(test, devs[0].kobj.sd->name, "dev0");
	KUNIT_EXPECT_EQ(test, kobject_rename(&devs[0].kobj, "other"), 0);
	KUNIT_EXPECT_STREQ(test, devs[0].kobj.sd->name, "other");
	for (unsigned int i = 0; i < 3; i++)
		device_unregister(&devs[i]);
	bus_unregister(&bus);
}

static int has_label(struct gpio_chip *chip, const void *label)
{
	return !strcmp(chip->label, label);
}

static void test_gpio_chip_is_found(struct kunit *test)
{
	struct gpio_device *device = gpio_device_find_by_label("usermm");

	KUNIT_EXPECT_NULL(test, gpio_device_find_by_label("pinctrl-rp1"));
	KUNIT_EXPECT_NULL(test, gpiod_to_chip(NULL));
	KUNIT_EXPECT_PTR_EQ(test, gpiod_to_chip(gpio_to_desc(17)), gpio_device_get_chip(device));
	KUNIT_EXPECT_NULL(test, gpio_device_find("no such", has_label));
	KUNIT_ASSERT_NOT_NULL(test, device);
	KUNIT_EXPECT_PTR_EQ(test, gpio_device_find("usermm", has_label), device);
	KUNIT_EXPECT_PTR_EQ(test, gpio_device_get_desc(device, 17), gpio_to_desc(17));
	KUNIT_EXPECT_EQ(test, PTR_ERR(gpio_device_get_desc(device, ARCH_NR_GPIOS)), -EINVAL);
	KUNIT_EXPECT_EQ(test, gpio_device_get_base(device), 0);
	KUNIT_EXPECT_STREQ(test, gpio_device_get_label(device), "usermm");
	gpio_device_put(device);
}

static int nr_wmi_probed;

static int wmi_probe(struct wmi_device *device, const void *context)
{
	(void)device, (void)context;
	nr_wmi_probed++;
	return 0;
}

static void test_usages_are_mapped(struct kunit *test)
{
	static const struct {
		u8 type;
		int limit;
	} kinds[] = {
		{ EV_KEY, KEY_MAX }, { EV_REL, REL_MAX }, { EV_ABS, ABS_MAX }, { EV_LED, LED_MAX },
		{ EV_MSC, MSC_MAX },
	};
	struct input_dev *dev = input_allocate_device();
	struct hid_input input = { .input = dev };
	struct hid_usage usage = { 0 };
	unsigned long *bit;
	int limit = 0;

	KUNIT_ASSERT_NOT_NULL(test, dev);
	for (unsigned int i = 0; i < ARRAY_SIZE(kinds); i++) {
		unsigned long *bits[] = {
			dev->keybit, dev->relbit, dev->absbit, dev->ledbit, dev->mscbit,
		};
		unsigned int last = (unsigned int)kinds[i].limit;

		hid_map_usage(&input, &usage, &bit, &limit, kinds[i].type, last);
		KUNIT_EXPECT_PTR_EQ(test, bit, bits[i]);
		KUNIT_EXPECT_EQ(test, limit, kinds[i].limit);
		KUNIT_EXPECT_EQ(test, usage.type, kinds[i].type);
		KUNIT_EXPECT_EQ(test, usage.code, last);
		hid_map_usage(&input, &usage, &bit, &limit, kinds[i].type, last + 1);
		KUNIT_EXPECT_NULL(test, bit);
		KUNIT_EXPECT_EQ(test, usage.code, last);
	}
	hid_map_usage(&input, &usage, &bit, &limit, EV_SND, 0);
	KUNIT_EXPECT_NULL(test, bit);
	set_bit(KEY_A, dev->keybit);
	hid_map_usage_clear(&input, &usage, &bit, &limit, EV_KEY, KEY_A);
	KUNIT_EXPECT_FALSE(test, test_bit(KEY_A, dev->keybit));
	KUNIT_EXPECT_EQ(test, usage.code, KEY_A);
	input_free_device(dev);
}

static void test_no_wmi_device(struct kunit *test)
{
	static const struct wmi_device_id ids[] = {
		{ .guid_string = "8232DE3D-663D-4327-A8F4-E293ADB9BF05" }, { },
	};
	static struct wmi_driver driver = {
		.driver = { .name = "no_wmi" }, .id_table = ids, .probe = wmi_probe,
	};
	struct acpi_buffer out = { ACPI_ALLOCATE_BUFFER, NULL };

	KUNIT_EXPECT_EQ(test, wmi_driver_register(&driver), 0);
	KUNIT_EXPECT_EQ(test, wmi_driver_register(&driver), -EBUSY);
	KUNIT_EXPECT_EQ(test, nr_wmi_probed, 0);
	wmi_driver_unregister(&driver);
	KUNIT_EXPECT_FALSE(test, wmi_has_guid(ids[0].guid_string));
	KUNIT_EXPECT_EQ(test, wmi_instance_count(ids[0].guid_string), -ENODEV);
	KUNIT_EXPECT_TRUE(test, ACPI_FAILURE(wmi_evaluate_method(ids[0].guid_string, 0, 1, NULL,
								 &out)));
	KUNIT_EXPECT_TRUE(test, ACPI_FAILURE(wmi_query_block(ids[0].guid_string, 0, &out)));
	KUNIT_EXPECT_TRUE(test, ACPI_FAILURE(wmi_install_notify_handler(ids[0].guid_string, NULL,
									NULL)));
	KUNIT_EXPECT_NULL(test, acpi_device_handle(NULL));
	KUNIT_EXPECT_PTR_EQ(test, acpi_device_handle(&(struct acpi_device){ .handle = &out }),
			    (acpi_handle)&out);
}

static struct kunit_case buses_cases[] = {
	KUNIT_CASE(test_i2c_clients_meet_drivers), KUNIT_CASE(test_spi_devices_transfer),
	KUNIT_CASE(test_buses_without_devices), KUNIT_CASE(test_gpio_descriptors),
	KUNIT_CASE(test_leds_have_a_brightness), KUNIT_CASE(test_bus_tells_of_its_devices),
	KUNIT_CASE(test_names_of_buses_and_classes),
	KUNIT_CASE(test_buses_that_are_not_registered), KUNIT_CASE(test_class_finds_devices),
	KUNIT_CASE(test_bus_finds_devices), KUNIT_CASE(test_gpio_chip_is_found),
	KUNIT_CASE(test_usages_are_mapped), KUNIT_CASE(test_no_wmi_device), { }
};

static struct kunit_suite buses_suite = { .name = "buses", .test_cases = buses_cases };
kunit_test_suite(buses_suite);
