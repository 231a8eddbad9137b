// SPDX-License-Identifier: MIT
/* Buses whose adapters, devices and drivers a module makes itself; and buses without any device. */
#include <kunit/test.h>
#include <linux/gpio.h>
#include <linux/hid.h>
#include <linux/i2c.h>
#include <linux/leds.h>
#include <linux/notifier.h>
#include <linux/pci.h>
#include <linux/spi/spi.h>
#include <linux/usb.h>

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

	nr_probed = 0;
	again = pci;
	KUNIT_EXPECT_EQ(test, pci_register_driver(&pci), 0);
	KUNIT_EXPECT_EQ(test, pci_register_driver(&again), -EBUSY);
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
	KUNIT_EXPECT_EQ(test, bus_unregister_notifier(&bus, &block), -ENOENT);
	KUNIT_ASSERT_EQ(test, bus_register(&bus), 0);
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

static struct kunit_case buses_cases[] = {
	KUNIT_CASE(test_i2c_clients_meet_drivers), KUNIT_CASE(test_spi_devices_transfer),
	KUNIT_CASE(test_buses_without_devices), KUNIT_CASE(test_gpio_descriptors),
	KUNIT_CASE(test_leds_have_a_brightness), KUNIT_CASE(test_bus_tells_of_its_devices), { }
};

static struct kunit_suite buses_suite = { .name = "buses", .test_cases = buses_cases };
kunit_test_suite(buses_suite);
