// SPDX-License-Identifier: MIT
/* SPI controllers, devices and messages: see linux/spi/spi.h. cf. Linux drivers/spi/spi.c. */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spi/spi.h>

static DEFINE_MUTEX(lock);
static LIST_HEAD(controllers);		/* Sync: lock */

static const struct spi_device_id *find_id(const struct spi_device_id *table, const char *name)
{
	for (const struct spi_device_id *id = table; id && id->name[0]; id++)
		if (!strcmp(id->name, name))
			return id;
	return NULL;
}

const struct spi_device_id *spi_get_device_id(const struct spi_device *spi)
{
	return find_id(to_spi_driver(spi->dev.driver)->id_table, spi->modalias);
}

static int match(struct device *dev, const struct device_driver *driver)
{
	const struct spi_device *spi = to_spi_device(dev);
	const struct spi_driver *spi_driver = to_spi_driver(driver);

	if (spi_driver->id_table)
		return find_id(spi_driver->id_table, spi->modalias) != NULL;
	return !strcmp(spi->modalias, driver->name);
}

static int probe(struct device *dev)
{
	const struct spi_driver *driver = to_spi_driver(dev->driver);

	return driver->probe ? driver->probe(to_spi_device(dev)) : 0;
}

static void remove(struct device *dev)
{
	const struct spi_driver *driver = to_spi_driver(dev->driver);

	if (driver->remove)
		driver->remove(to_spi_device(dev));
}

const struct bus_type spi_bus_type = {
	.name = "spi", .match = match, .probe = probe, .remove = remove,
};

int usermm_spi_register_driver(struct spi_driver *driver)
{
	driver->driver.bus = &spi_bus_type;
	return driver_register(&driver->driver);
}

static void free_controller(struct device *dev)
{
	kfree(container_of(dev, struct spi_controller, dev));
}

struct spi_controller *spi_alloc_controller(struct device *dev, unsigned int size)
{
	size_t own = ALIGN(sizeof(struct spi_controller), 16);
	struct spi_controller *controller = kzalloc(own + size, GFP_KERNEL);

	if (!controller)
		return NULL;
	device_initialize(&controller->dev);
	controller->dev.parent = dev;
	controller->dev.release = free_controller;
	controller->bus_num = -1;
	controller->num_chipselect = 1;
	mutex_init(&controller->usermm_lock);
	spi_controller_set_devdata(controller, (char *)controller + own);
	return controller;
}

static struct spi_controller *find_controller(int number)
{
	struct spi_controller *controller;

	list_for_each_entry(controller, &controllers, usermm_list)
		if (controller->bus_num == number)
			return controller;
	return NULL;
}

static int take_number(struct spi_controller *controller)
{
	int error = 0;

	mutex_lock(&lock);
	if (controller->bus_num < 0)
		for (controller->bus_num = 0; find_controller(controller->bus_num);)
			controller->bus_num++;
	if (find_controller(controller->bus_num))
		error = -EBUSY;
	else
		list_add_tail(&controller->usermm_list, &controllers);
	mutex_unlock(&lock);
	return error;
}

static void drop_number(struct spi_controller *controller)
{
	mutex_lock(&lock);
	list_del_init(&controller->usermm_list);
	mutex_unlock(&lock);
}

int spi_register_controller(struct spi_controller *controller)
{
	int error;

	if (!controller->transfer && !controller->transfer_one &&
	    !controller->transfer_one_message)
		return -EINVAL;
	error = take_number(controller);
	if (error)
		return error;
	dev_set_name(&controller->dev, "spi%d", controller->bus_num);
	error = device_add(&controller->dev);
	if (error)
		drop_number(controller);
	return error;
}

static int unregister_device(struct device *dev, void *unused)
{
	(void)unused;
	if (dev->bus == &spi_bus_type)
		spi_unregister_device(to_spi_device(dev));
	return 0;
}

void spi_unregister_controller(struct spi_controller *controller)
{
	device_for_each_child(&controller->dev, NULL, unregister_device);
	drop_number(controller);
	device_unregister(&controller->dev);
}

struct spi_controller *spi_busnum_to_master(u16 number)
{
	struct spi_controller *controller;

	mutex_lock(&lock);
	controller = find_controller(number);
	if (controller)
		get_device(&controller->dev);
	mutex_unlock(&lock);
	return controller;
}

static void free_device(struct device *dev)
{
	struct spi_device *spi = to_spi_device(dev);

	spi_controller_put(spi->controller);
	kfree(spi);
}

struct spi_device *spi_alloc_device(struct spi_controller *controller)
{
	struct spi_device *spi = kzalloc(sizeof(*spi), GFP_KERNEL);

	if (!spi)
		return NULL;
	get_device(&controller->dev);
	spi->controller = controller;
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
	spi->master = controller;
#endif
	spi->dev.parent = &controller->dev;
	spi->dev.bus = &spi_bus_type;
	spi->dev.release = free_device;
	device_initialize(&spi->dev);
	return spi;
}

static int has_chip_select(struct device *dev, const void *spi)
{
	return dev->bus == &spi_bus_type &&
	       to_spi_device(dev)->chip_select == ((const struct spi_device *)spi)->chip_select;
}

int spi_add_device(struct spi_device *spi)
{
	struct spi_controller *controller = spi->controller;
	struct device *other;
	int error;

	if (spi->chip_select >= controller->num_chipselect) {
		dev_err(&controller->dev, "cs%d >= max %d\n", spi->chip_select,
			controller->num_chipselect);
		return -EINVAL;
	}
	other = device_find_child(&controller->dev, spi, has_chip_select);
	put_device(other);
	if (other) {
		dev_err(&controller->dev, "chipselect %u already in use\n", spi->chip_select);
		return -EBUSY;
	}
	dev_set_name(&spi->dev, "spi%d.%u", controller->bus_num, spi->chip_select);
	error = spi_setup(spi);
	return error < 0 ? error : device_add(&spi->dev);
}

struct spi_device *spi_new_device(struct spi_controller *controller, struct spi_board_info *info)
{
	struct spi_device *spi = spi_alloc_device(controller);

	if (!spi)
		return NULL;
	spi->chip_select = (u8)info->chip_select;
	spi->max_speed_hz = info->max_speed_hz;
	spi->mode = info->mode;
	spi->irq = info->irq;
	strscpy(spi->modalias, info->modalias, sizeof(spi->modalias));
	spi->dev.platform_data = (void *)info->platform_data;
	spi->controller_data = info->controller_data;
	if (spi_add_device(spi)) {
		spi_dev_put(spi);
		return NULL;
	}
	return spi;
}

void spi_unregister_device(struct spi_device *spi)
{
	if (!spi)
		return;
	if (spi->controller->cleanup)
		spi->controller->cleanup(spi);
	device_unregister(&spi->dev);
}

int spi_setup(struct spi_device *spi)
{
	struct spi_controller *controller = spi->controller;

	if (!spi->bits_per_word)
		spi->bits_per_word = 8;
	if (controller->max_speed_hz &&
	    (!spi->max_speed_hz || spi->max_speed_hz > controller->max_speed_hz))
		spi->max_speed_hz = controller->max_speed_hz;
	return controller->setup ? controller->setup(spi) : 0;
}

static int transfer_each(struct spi_controller *controller, struct spi_message *message)
{
	struct spi_transfer *transfer;
	int error = 0;

	if (controller->set_cs)
		controller->set_cs(message->spi, false);
	list_for_each_entry(transfer, &message->transfers, transfer_list) {
		error = controller->transfer_one(controller, message->spi, transfer);
		if (error < 0)
			break;
		message->actual_length += transfer->len;
	}
	if (controller->set_cs)
		controller->set_cs(message->spi, true);
	return error < 0 ? error : 0;
}

static int carry_out(struct spi_controller *controller, struct spi_message *message)
{
	int error = 0;

	if (controller->prepare_message)
		error = controller->prepare_message(controller, message);
	if (error)
		return error;
	if (controller->transfer_one_message) {
		error = controller->transfer_one_message(controller, message);
		if (!error)
			error = message->status;
	} else if (controller->transfer_one) {
		error = transfer_each(controller, message);
	} else {
		error = controller->transfer(message->spi, message);
	}
	if (controller->unprepare_message)
		controller->unprepare_message(controller, message);
	return error;
}

int spi_sync(struct spi_device *spi, struct spi_message *message)
{
	struct spi_controller *controller = spi->controller;
	struct spi_transfer *transfer;

	if (list_empty(&message->transfers))
		return -EINVAL;
	message->spi = spi;
	message->actual_length = message->frame_length = 0;
	message->status = 0;
	list_for_each_entry(transfer, &message->transfers, transfer_list) {
		message->frame_length += transfer->len;
		if (!transfer->bits_per_word)
			transfer->bits_per_word = spi->bits_per_word;
		if (!transfer->speed_hz)
			transfer->speed_hz = spi->max_speed_hz;
	}
	mutex_lock(&controller->usermm_lock);
	message->status = carry_out(controller, message);
	mutex_unlock(&controller->usermm_lock);
	return message->status;
}

int spi_async(struct spi_device *spi, struct spi_message *message)
{
	if (list_empty(&message->transfers))
		return -EINVAL;
	spi_sync(spi, message);
	if (message->complete)
		message->complete(message->context);
	return 0;
}

int spi_write_then_read(struct spi_device *spi, const void *written, unsigned int nr_written,
			void *read, unsigned int nr_read)
{
	struct spi_transfer transfers[2] = {
		{ .tx_buf = written, .len = nr_written }, { .rx_buf = read, .len = nr_read },
	};
	struct spi_message message;

	spi_message_init(&message);
	for (unsigned int i = 0; i < 2; i++)
		if (transfers[i].len)
			spi_message_add_tail(&transfers[i], &message);
	return spi_sync(spi, &message);
}
