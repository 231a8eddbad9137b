/* SPDX-License-Identifier: MIT */
/*
 * SPI: controllers and devices that modules make, and drivers, which meet on the bus. The machine
 * has no controller of its own, so spi_busnum_to_master() of one that no module added is NULL.
 */
#ifndef __LINUX_SPI_H
#define __LINUX_SPI_H

#include <linux/acpi.h>
#include <linux/completion.h>
#include <linux/dev_printk.h>
#include <linux/device.h>
#include <linux/gpio/consumer.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/kthread.h>
#include <linux/mod_devicetable.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/scatterlist.h>
#include <linux/socket.h>
#include <linux/version.h>
#include <usermm/compiler.h>

#define SPI_CPHA BIT(0)
#define SPI_CPOL BIT(1)
#define SPI_MODE_0 0
#define SPI_MODE_1 SPI_CPHA
#define SPI_MODE_2 SPI_CPOL
#define SPI_MODE_3 (SPI_CPOL | SPI_CPHA)
#define SPI_CS_HIGH BIT(2)
#define SPI_LSB_FIRST BIT(3)
#define SPI_3WIRE BIT(4)
#define SPI_LOOP BIT(5)
#define SPI_NO_CS BIT(6)
#define SPI_READY BIT(7)
#define SPI_TX_DUAL BIT(8)
#define SPI_TX_QUAD BIT(9)
#define SPI_RX_DUAL BIT(10)
#define SPI_RX_QUAD BIT(11)

#define SPI_CONTROLLER_HALF_DUPLEX BIT(0)
#define SPI_CONTROLLER_NO_RX BIT(1)
#define SPI_CONTROLLER_NO_TX BIT(2)
#define SPI_CONTROLLER_MUST_RX BIT(3)
#define SPI_CONTROLLER_MUST_TX BIT(4)
#define SPI_BPW_MASK(bits) BIT((bits) - 1)

#define SPI_DELAY_UNIT_USECS 0
#define SPI_DELAY_UNIT_NSECS 1
#define SPI_DELAY_UNIT_SCK 2
struct spi_delay {
	u16 value;
	u8 unit;
};

struct spi_controller;
struct spi_message;

struct spi_device {
	struct device dev;
	union {
		struct spi_controller *controller;
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
		struct spi_controller *master;
#endif
	};
	u32 max_speed_hz;
	u8 chip_select, bits_per_word;
	u32 mode;
	int irq;
	void *controller_state, *controller_data;
	char modalias[SPI_NAME_SIZE];
	struct gpio_desc *cs_gpiod;
	struct spi_delay word_delay, cs_setup, cs_hold, cs_inactive;
};

struct spi_driver {
	const struct spi_device_id *id_table;
	int (*probe)(struct spi_device *spi);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 18, 0)
	void (*remove)(struct spi_device *spi);
#else
	int (*remove)(struct spi_device *spi);
#endif
	void (*shutdown)(struct spi_device *spi);
	struct device_driver driver;
};

struct spi_transfer {
	const void *tx_buf;
	void *rx_buf;
	unsigned int len;
	dma_addr_t tx_dma, rx_dma;
	unsigned int cs_change : 1, cs_off : 1, tx_nbits : 4, rx_nbits : 4;
	u8 bits_per_word;
	u16 delay_usecs;		/* up to 5.12 */
	struct spi_delay delay, cs_change_delay, word_delay;
	u32 speed_hz, effective_speed_hz;
	struct list_head transfer_list;
};

struct spi_message {
	struct list_head transfers;
	struct spi_device *spi;
	unsigned int is_dma_mapped : 1;
	void (*complete)(void *context);
	void *context;
	unsigned int frame_length, actual_length;
	int status;
	struct list_head queue;
	void *state;
};

struct spi_controller {
	struct device dev;
	struct list_head usermm_list;	/* Sync: kernel/devices/spi.c's lock */
	struct mutex usermm_lock;	/* one message at a time */
	s16 bus_num;
	u16 num_chipselect, flags;
	u32 mode_bits, bits_per_word_mask, min_speed_hz, max_speed_hz;
	int (*setup)(struct spi_device *spi);
	void (*cleanup)(struct spi_device *spi);
	int (*transfer)(struct spi_device *spi, struct spi_message *message);
	int (*prepare_message)(struct spi_controller *controller, struct spi_message *message);
	int (*unprepare_message)(struct spi_controller *controller, struct spi_message *message);
	int (*prepare_transfer_hardware)(struct spi_controller *controller);
	int (*unprepare_transfer_hardware)(struct spi_controller *controller);
	int (*transfer_one_message)(struct spi_controller *controller,
				    struct spi_message *message);
	int (*transfer_one)(struct spi_controller *controller, struct spi_device *spi,
			    struct spi_transfer *transfer);
	void (*set_cs)(struct spi_device *spi, bool enable);
	struct gpio_desc **cs_gpiods;
	bool use_gpio_descriptors;
	bool slave;
};
#define spi_master spi_controller

struct spi_board_info {
	char modalias[SPI_NAME_SIZE];
	const void *platform_data;
	void *controller_data;
	int irq;
	u32 max_speed_hz;
	u16 bus_num, chip_select;
	u32 mode;
};

USERMM_BEGIN_DECLS

extern const struct bus_type spi_bus_type USERMM_API(spi_bus_type);

/* A controller with `size` bytes of the driver's own, with one reference; or NULL. */
struct spi_controller *spi_alloc_controller(struct device *dev, unsigned int size)
	USERMM_API(spi_alloc_controller);
/* 0; -EINVAL without a way to transfer; -EBUSY if bus_num is taken. bus_num -1: any free one. */
int spi_register_controller(struct spi_controller *controller)
	USERMM_API(spi_register_controller);
/* Removes its devices, and drops the reference of spi_alloc_controller(). */
void spi_unregister_controller(struct spi_controller *controller)
	USERMM_API(spi_unregister_controller);
/* With a reference, for spi_controller_put(); NULL if there is none. */
struct spi_controller *spi_busnum_to_master(u16 number) USERMM_API(spi_busnum_to_master);

struct spi_device *spi_alloc_device(struct spi_controller *controller)
	USERMM_API(spi_alloc_device);
/* 0; -EINVAL for a chip select that the controller lacks; -EBUSY for one that is taken. */
int spi_add_device(struct spi_device *spi) USERMM_API(spi_add_device);
/* NULL if it fails. */
struct spi_device *spi_new_device(struct spi_controller *controller,
				  struct spi_board_info *info) USERMM_API(spi_new_device);
void spi_unregister_device(struct spi_device *spi) USERMM_API(spi_unregister_device);
int spi_setup(struct spi_device *spi) USERMM_API(spi_setup);
int usermm_spi_register_driver(struct spi_driver *driver)
	__attribute__((visibility("default")));
const struct spi_device_id *spi_get_device_id(const struct spi_device *spi)
	USERMM_API(spi_get_device_id);

/* 0 or -errno. _sync() may sleep. _async() calls message->complete() before it returns. */
int spi_sync(struct spi_device *spi, struct spi_message *message) USERMM_API(spi_sync);
int spi_async(struct spi_device *spi, struct spi_message *message) USERMM_API(spi_async);
int spi_write_then_read(struct spi_device *spi, const void *written, unsigned int nr_written,
			void *read, unsigned int nr_read) USERMM_API(spi_write_then_read);

USERMM_END_DECLS

#define spi_register_driver(driver_ptr) \
	((driver_ptr)->driver.owner = THIS_MODULE, usermm_spi_register_driver(driver_ptr))
#define spi_unregister_driver(driver_ptr) driver_unregister(&(driver_ptr)->driver)
#define module_spi_driver(driver_name) \
	module_driver(driver_name, spi_register_driver, spi_unregister_driver)
#define spi_alloc_master(dev, size) spi_alloc_controller(dev, size)
#define spi_alloc_host(dev, size) spi_alloc_controller(dev, size)
#define spi_register_master(controller) spi_register_controller(controller)
#define spi_unregister_master(controller) spi_unregister_controller(controller)
#define spi_controller_get_devdata(controller) dev_get_drvdata(&(controller)->dev)
#define spi_controller_set_devdata(controller, data) dev_set_drvdata(&(controller)->dev, data)
#define spi_master_get_devdata(controller) spi_controller_get_devdata(controller)
#define spi_master_set_devdata(controller, data) spi_controller_set_devdata(controller, data)
#define spi_controller_put(controller) put_device(&(controller)->dev)
#define spi_master_put(controller) spi_controller_put(controller)
#define spi_dev_put(spi) put_device(&(spi)->dev)
#define spi_dev_get(spi) (get_device(&(spi)->dev), (spi))
#define to_spi_device(device) container_of(device, struct spi_device, dev)
#define to_spi_driver(driver_ptr) container_of(driver_ptr, struct spi_driver, driver)
#define spi_get_drvdata(spi) dev_get_drvdata(&(spi)->dev)
#define spi_set_drvdata(spi, data) dev_set_drvdata(&(spi)->dev, data)
#define spi_get_ctldata(spi) ((spi)->controller_state)
#define spi_set_ctldata(spi, state) ((void)((spi)->controller_state = (state)))
#define spi_get_chipselect(spi, index) ((void)(index), (spi)->chip_select)
#define spi_set_chipselect(spi, index, number) \
	((void)(index), (void)((spi)->chip_select = (u8)(number)))
#define spi_get_csgpiod(spi, index) ((void)(index), (spi)->cs_gpiod)
#define spi_get_device_match_data(spi)					\
	({								\
		const struct spi_device_id *match_ = spi_get_device_id(spi); \
									\
		match_ ? (const void *)match_->driver_data : NULL;	\
	})
#define spi_register_board_info(info, n) ((void)(info), (void)(n), 0)
#define spi_finalize_current_message(controller) ((void)(controller))
#define spi_finalize_current_transfer(controller) ((void)(controller))
#define devm_spi_register_controller(dev, controller) \
	((void)(dev), spi_register_controller(controller))
#define devm_spi_alloc_host(dev, size) spi_alloc_controller(dev, size)

static inline void spi_message_init(struct spi_message *message)
{
	memset(message, 0, sizeof(*message));
	INIT_LIST_HEAD(&message->transfers);
}

static inline void spi_message_add_tail(struct spi_transfer *transfer,
					struct spi_message *message)
{
	list_add_tail(&transfer->transfer_list, &message->transfers);
}

static inline void spi_message_init_with_transfers(struct spi_message *message,
						   struct spi_transfer *transfers,
						   unsigned int n)
{
	spi_message_init(message);
	for (unsigned int i = 0; i < n; i++)
		spi_message_add_tail(&transfers[i], message);
}

static inline int spi_sync_transfer(struct spi_device *spi, struct spi_transfer *transfers,
				    unsigned int n)
{
	struct spi_message message;

	spi_message_init_with_transfers(&message, transfers, n);
	return spi_sync(spi, &message);
}

static inline int spi_write(struct spi_device *spi, const void *buffer, size_t n)
{
	struct spi_transfer transfer = { .tx_buf = buffer, .len = (unsigned int)n };

	return spi_sync_transfer(spi, &transfer, 1);
}

static inline int spi_read(struct spi_device *spi, void *buffer, size_t n)
{
	struct spi_transfer transfer = { .rx_buf = buffer, .len = (unsigned int)n };

	return spi_sync_transfer(spi, &transfer, 1);
}

static inline ssize_t spi_w8r8(struct spi_device *spi, u8 command)
{
	u8 result;
	int error = spi_write_then_read(spi, &command, 1, &result, 1);

	return error < 0 ? error : result;
}

static inline ssize_t spi_w8r16(struct spi_device *spi, u8 command)
{
	u16 result;
	int error = spi_write_then_read(spi, &command, 1, &result, 2);

	return error < 0 ? error : result;
}

/* The device sends the highest byte first. */
static inline ssize_t spi_w8r16be(struct spi_device *spi, u8 command)
{
	__be16 result;
	int error = spi_write_then_read(spi, &command, 1, &result, 2);

	return error < 0 ? error : be16_to_cpu(result);
}

#endif
