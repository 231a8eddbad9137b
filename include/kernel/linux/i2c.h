/* SPDX-License-Identifier: MIT */
/*
 * I2C: adapters and clients that modules make, and drivers, which meet on the bus. The machine has
 * no adapter of its own, so i2c_get_adapter() of a number that no module added is NULL.
 */
#ifndef _LINUX_I2C_H
#define _LINUX_I2C_H

#include <linux/acpi.h>
#include <linux/completion.h>
#include <linux/dev_printk.h>
#include <linux/device.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/irqdomain.h>
#include <linux/mod_devicetable.h>
#include <linux/mutex.h>
#include <linux/of.h>
#include <linux/pid.h>
#include <linux/regulator/consumer.h>
#include <linux/rtmutex.h>
#include <linux/socket.h>
#include <linux/version.h>
#include <usermm/compiler.h>

struct i2c_msg {
	__u16 addr, flags, len;
	__u8 *buf;
};

#define I2C_M_RD 0x0001
#define I2C_M_TEN 0x0010
#define I2C_M_DMA_SAFE 0x0200
#define I2C_M_RECV_LEN 0x0400
#define I2C_M_NO_RD_ACK 0x0800
#define I2C_M_IGNORE_NAK 0x1000
#define I2C_M_REV_DIR_ADDR 0x2000
#define I2C_M_NOSTART 0x4000
#define I2C_M_STOP 0x8000

#define I2C_FUNC_I2C 0x00000001
#define I2C_FUNC_10BIT_ADDR 0x00000002
#define I2C_FUNC_PROTOCOL_MANGLING 0x00000004
#define I2C_FUNC_SMBUS_QUICK 0x00010000
#define I2C_FUNC_SMBUS_READ_BYTE 0x00020000
#define I2C_FUNC_SMBUS_WRITE_BYTE 0x00040000
#define I2C_FUNC_SMBUS_READ_BYTE_DATA 0x00080000
#define I2C_FUNC_SMBUS_WRITE_BYTE_DATA 0x00100000
#define I2C_FUNC_SMBUS_READ_WORD_DATA 0x00200000
#define I2C_FUNC_SMBUS_WRITE_WORD_DATA 0x00400000
#define I2C_FUNC_SMBUS_READ_BLOCK_DATA 0x01000000
#define I2C_FUNC_SMBUS_WRITE_BLOCK_DATA 0x02000000
#define I2C_FUNC_SMBUS_READ_I2C_BLOCK 0x04000000
#define I2C_FUNC_SMBUS_WRITE_I2C_BLOCK 0x08000000
#define I2C_FUNC_SMBUS_BYTE (I2C_FUNC_SMBUS_READ_BYTE | I2C_FUNC_SMBUS_WRITE_BYTE)
#define I2C_FUNC_SMBUS_BYTE_DATA (I2C_FUNC_SMBUS_READ_BYTE_DATA | I2C_FUNC_SMBUS_WRITE_BYTE_DATA)
#define I2C_FUNC_SMBUS_WORD_DATA (I2C_FUNC_SMBUS_READ_WORD_DATA | I2C_FUNC_SMBUS_WRITE_WORD_DATA)
#define I2C_FUNC_SMBUS_BLOCK_DATA \
	(I2C_FUNC_SMBUS_READ_BLOCK_DATA | I2C_FUNC_SMBUS_WRITE_BLOCK_DATA)
#define I2C_FUNC_SMBUS_I2C_BLOCK (I2C_FUNC_SMBUS_READ_I2C_BLOCK | I2C_FUNC_SMBUS_WRITE_I2C_BLOCK)
#define I2C_FUNC_SMBUS_EMUL						\
	(I2C_FUNC_SMBUS_QUICK | I2C_FUNC_SMBUS_BYTE | I2C_FUNC_SMBUS_BYTE_DATA | \
	 I2C_FUNC_SMBUS_WORD_DATA | I2C_FUNC_SMBUS_WRITE_BLOCK_DATA |	\
	 I2C_FUNC_SMBUS_I2C_BLOCK)

#define I2C_SMBUS_BLOCK_MAX 32
union i2c_smbus_data {
	__u8 byte;
	__u16 word;
	__u8 block[I2C_SMBUS_BLOCK_MAX + 2];	/* its length first */
};

#define I2C_SMBUS_READ 1
#define I2C_SMBUS_WRITE 0
#define I2C_SMBUS_QUICK 0
#define I2C_SMBUS_BYTE 1
#define I2C_SMBUS_BYTE_DATA 2
#define I2C_SMBUS_WORD_DATA 3
#define I2C_SMBUS_PROC_CALL 4
#define I2C_SMBUS_BLOCK_DATA 5
#define I2C_SMBUS_I2C_BLOCK_DATA 8

#define I2C_CLIENT_PEC 0x04
#define I2C_CLIENT_TEN 0x10
#define I2C_CLIENT_SLAVE 0x20
#define I2C_CLIENT_WAKE 0x80
#define I2C_CLIENT_END 0xfffeU
#define I2C_CLASS_HWMON BIT(0)
#define I2C_CLASS_DEPRECATED BIT(8)

struct i2c_adapter;
struct i2c_client;
struct i2c_board_info;

struct i2c_algorithm {
	/* The number of messages that were carried out, or -errno. */
	union {
		int (*xfer)(struct i2c_adapter *adapter, struct i2c_msg *messages, int n);
		int (*master_xfer)(struct i2c_adapter *adapter, struct i2c_msg *messages, int n);
	};
	union {
		int (*xfer_atomic)(struct i2c_adapter *adapter, struct i2c_msg *messages, int n);
		int (*master_xfer_atomic)(struct i2c_adapter *adapter, struct i2c_msg *messages,
					  int n);
	};
	int (*smbus_xfer)(struct i2c_adapter *adapter, u16 address, unsigned short flags,
			  char read_write, u8 command, int size, union i2c_smbus_data *data);
	u32 (*functionality)(struct i2c_adapter *adapter);
};

struct i2c_adapter {
	struct module *owner;
	unsigned int class;
	const struct i2c_algorithm *algo;
	void *algo_data;
	struct mutex usermm_lock;	/* one transfer at a time */
	int timeout, retries;
	struct device dev;
	int nr;
	char name[48];
	struct list_head usermm_list;	/* Sync: kernel/devices/i2c.c's lock */
};

struct i2c_client {
	unsigned short flags, addr;
	char name[I2C_NAME_SIZE];
	struct i2c_adapter *adapter;
	struct device dev;
	int init_irq, irq;
};

struct i2c_driver {
	unsigned int class;
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	union {
		int (*probe)(struct i2c_client *client);
		int (*probe_new)(struct i2c_client *client);	/* up to 6.5 */
	};
	int (*usermm_probe_new)(struct i2c_client *client);	/* keeps the layout: NULL */
#else
	int (*probe)(struct i2c_client *client, const struct i2c_device_id *id);
	int (*probe_new)(struct i2c_client *client);
#endif
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0)
	void (*remove)(struct i2c_client *client);
#else
	int (*remove)(struct i2c_client *client);
#endif
	void (*shutdown)(struct i2c_client *client);
	void (*alert)(struct i2c_client *client, int protocol, unsigned int data);
	int (*command)(struct i2c_client *client, unsigned int command, void *argument);
	struct device_driver driver;
	const struct i2c_device_id *id_table;
	int (*detect)(struct i2c_client *client, struct i2c_board_info *info);
	const unsigned short *address_list;
	u32 flags;
};

struct i2c_board_info {
	char type[I2C_NAME_SIZE];
	unsigned short flags, addr;
	const char *dev_name;
	void *platform_data;
	struct device_node *of_node;
	struct fwnode_handle *fwnode;
	int irq;
};

#define I2C_BOARD_INFO(name, address) .type = name, .addr = (address)

USERMM_BEGIN_DECLS

extern const struct bus_type i2c_bus_type USERMM_API(i2c_bus_type);

/* 0; -EINVAL without an algorithm or a name. The second takes adap->nr: -EBUSY if it is taken. */
int i2c_add_adapter(struct i2c_adapter *adapter) USERMM_API(i2c_add_adapter);
int i2c_add_numbered_adapter(struct i2c_adapter *adapter) USERMM_API(i2c_add_numbered_adapter);
/* Removes its clients as well. */
void i2c_del_adapter(struct i2c_adapter *adapter) USERMM_API(i2c_del_adapter);
/* NULL if there is none. */
struct i2c_adapter *i2c_get_adapter(int nr) USERMM_API(i2c_get_adapter);
void i2c_put_adapter(struct i2c_adapter *adapter) USERMM_API(i2c_put_adapter);

/* An error pointer on failure: -EINVAL for an invalid address; -EBUSY if it is taken. */
struct i2c_client *i2c_new_client_device(struct i2c_adapter *adapter,
					 const struct i2c_board_info *info)
	USERMM_API(i2c_new_client_device);
void i2c_unregister_device(struct i2c_client *client) USERMM_API(i2c_unregister_device);
int usermm_i2c_register_driver(struct i2c_driver *driver)
	__attribute__((visibility("default")));
void i2c_del_driver(struct i2c_driver *driver) USERMM_API(i2c_del_driver);
const struct i2c_device_id *i2c_match_id(const struct i2c_device_id *table,
					 const struct i2c_client *client)
	USERMM_API(i2c_match_id);

/* The number of messages that were carried out, or -errno. May sleep. */
int i2c_transfer(struct i2c_adapter *adapter, struct i2c_msg *messages, int n)
	USERMM_API(i2c_transfer);
int i2c_transfer_buffer_flags(const struct i2c_client *client, char *buffer, int n, u16 flags)
	USERMM_API(i2c_transfer_buffer_flags);
/* By the adapter's smbus_xfer(), or by messages. 0 or -errno. */
s32 i2c_smbus_xfer(struct i2c_adapter *adapter, u16 address, unsigned short flags,
		   char read_write, u8 command, int protocol, union i2c_smbus_data *data)
	USERMM_API(i2c_smbus_xfer);

USERMM_END_DECLS

#define i2c_register_driver(module, driver_ptr) \
	((driver_ptr)->driver.owner = (module), usermm_i2c_register_driver(driver_ptr))
#define i2c_add_driver(driver_ptr) i2c_register_driver(THIS_MODULE, driver_ptr)
#define module_i2c_driver(driver) module_driver(driver, i2c_add_driver, i2c_del_driver)
#define to_i2c_client(device) container_of(device, struct i2c_client, dev)
#define to_i2c_driver(driver_ptr) container_of(driver_ptr, struct i2c_driver, driver)
#define to_i2c_adapter(device) container_of(device, struct i2c_adapter, dev)
#define i2c_get_clientdata(client) dev_get_drvdata(&(client)->dev)
#define i2c_set_clientdata(client, data) dev_set_drvdata(&(client)->dev, data)
#define i2c_get_adapdata(adapter) dev_get_drvdata(&(adapter)->dev)
#define i2c_set_adapdata(adapter, data) dev_set_drvdata(&(adapter)->dev, data)
#define i2c_adapter_id(adapter) ((adapter)->nr)
#define i2c_verify_client(device) \
	((device)->bus == &i2c_bus_type ? to_i2c_client(device) : NULL)
#define i2c_get_functionality(adapter) ((adapter)->algo->functionality(adapter))
#define i2c_check_functionality(adapter, wanted) \
	(((wanted) & i2c_get_functionality(adapter)) == (wanted))
#define i2c_client_get_device_id(client) \
	i2c_match_id(to_i2c_driver((client)->dev.driver)->id_table, client)
#define i2c_get_match_data(client)					\
	({								\
		const struct i2c_device_id *match_ = i2c_client_get_device_id(client); \
									\
		match_ ? (const void *)match_->driver_data : NULL;	\
	})
#define i2c_lock_bus(adapter, flags) ((void)(flags), mutex_lock(&(adapter)->usermm_lock))
#define i2c_unlock_bus(adapter, flags) ((void)(flags), mutex_unlock(&(adapter)->usermm_lock))
#define i2c_8bit_addr_from_msg(message) \
	((u8)((message)->addr << 1 | ((message)->flags & I2C_M_RD ? 1 : 0)))
#define i2c_register_board_info(bus, info, n) ((void)(bus), (void)(info), (void)(n), 0)
#define of_find_i2c_adapter_by_node(node) ((void)(node), (struct i2c_adapter *)NULL)
#define of_find_i2c_device_by_node(node) ((void)(node), (struct i2c_client *)NULL)
#define devm_i2c_new_dummy_device(dev, adapter, address) \
	((void)(dev), i2c_new_dummy_device(adapter, address))
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 7, 0)
/* NULL instead of an error pointer. */
#define i2c_new_device(adapter, info)					\
	({								\
		struct i2c_client *new_ = i2c_new_client_device(adapter, info); \
									\
		IS_ERR(new_) ? NULL : new_;				\
	})
#endif

static inline struct i2c_client *i2c_new_dummy_device(struct i2c_adapter *adapter, u16 address)
{
	struct i2c_board_info info = { I2C_BOARD_INFO("dummy", address) };

	return i2c_new_client_device(adapter, &info);
}

static inline int i2c_master_send(const struct i2c_client *client, const char *buffer, int n)
{
	return i2c_transfer_buffer_flags(client, (char *)buffer, n, 0);
}

static inline int i2c_master_recv(const struct i2c_client *client, char *buffer, int n)
{
	return i2c_transfer_buffer_flags(client, buffer, n, I2C_M_RD);
}

static inline s32 usermm_i2c_smbus(const struct i2c_client *client, char read_write, u8 command,
				   int protocol, union i2c_smbus_data *data)
{
	return i2c_smbus_xfer(client->adapter, client->addr, client->flags, read_write, command,
			      protocol, data);
}

static inline s32 i2c_smbus_read_byte(const struct i2c_client *client)
{
	union i2c_smbus_data data;
	s32 error = usermm_i2c_smbus(client, I2C_SMBUS_READ, 0, I2C_SMBUS_BYTE, &data);

	return error < 0 ? error : data.byte;
}

static inline s32 i2c_smbus_write_byte(const struct i2c_client *client, u8 value)
{
	return usermm_i2c_smbus(client, I2C_SMBUS_WRITE, value, I2C_SMBUS_BYTE, NULL);
}

static inline s32 i2c_smbus_read_byte_data(const struct i2c_client *client, u8 command)
{
	union i2c_smbus_data data;
	s32 error = usermm_i2c_smbus(client, I2C_SMBUS_READ, command, I2C_SMBUS_BYTE_DATA, &data);

	return error < 0 ? error : data.byte;
}

static inline s32 i2c_smbus_write_byte_data(const struct i2c_client *client, u8 command,
					    u8 value)
{
	union i2c_smbus_data data = { .byte = value };

	return usermm_i2c_smbus(client, I2C_SMBUS_WRITE, command, I2C_SMBUS_BYTE_DATA, &data);
}

static inline s32 i2c_smbus_read_word_data(const struct i2c_client *client, u8 command)
{
	union i2c_smbus_data data;
	s32 error = usermm_i2c_smbus(client, I2C_SMBUS_READ, command, I2C_SMBUS_WORD_DATA, &data);

	return error < 0 ? error : data.word;
}

static inline s32 i2c_smbus_write_word_data(const struct i2c_client *client, u8 command,
					    u16 value)
{
	union i2c_smbus_data data = { .word = value };

	return usermm_i2c_smbus(client, I2C_SMBUS_WRITE, command, I2C_SMBUS_WORD_DATA, &data);
}

static inline s32 i2c_smbus_read_word_swapped(const struct i2c_client *client, u8 command)
{
	s32 value = i2c_smbus_read_word_data(client, command);

	return value < 0 ? value : (s32)__builtin_bswap16((u16)value);
}

static inline s32 i2c_smbus_write_word_swapped(const struct i2c_client *client, u8 command,
					       u16 value)
{
	return i2c_smbus_write_word_data(client, command, __builtin_bswap16(value));
}

static inline s32 i2c_smbus_read_i2c_block_data(const struct i2c_client *client, u8 command,
						u8 n, u8 *values)
{
	union i2c_smbus_data data;
	s32 error;

	data.block[0] = min_t(u8, n, I2C_SMBUS_BLOCK_MAX);
	error = usermm_i2c_smbus(client, I2C_SMBUS_READ, command, I2C_SMBUS_I2C_BLOCK_DATA, &data);
	if (error < 0)
		return error;
	memcpy(values, &data.block[1], data.block[0]);
	return data.block[0];
}

static inline s32 usermm_i2c_write_block(const struct i2c_client *client, u8 command, u8 n,
					 const u8 *values, int protocol)
{
	union i2c_smbus_data data;

	data.block[0] = min_t(u8, n, I2C_SMBUS_BLOCK_MAX);
	memcpy(&data.block[1], values, data.block[0]);
	return usermm_i2c_smbus(client, I2C_SMBUS_WRITE, command, protocol, &data);
}

#define i2c_smbus_write_i2c_block_data(client, command, n, values) \
	usermm_i2c_write_block(client, command, n, values, I2C_SMBUS_I2C_BLOCK_DATA)
#define i2c_smbus_write_block_data(client, command, n, values) \
	usermm_i2c_write_block(client, command, n, values, I2C_SMBUS_BLOCK_DATA)

#endif
