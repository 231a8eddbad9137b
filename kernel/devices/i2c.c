// SPDX-License-Identifier: MIT
/* I2C adapters, clients and transfers: see linux/i2c.h. cf. Linux drivers/i2c/i2c-core-base.c. */
#include <linux/err.h>
#include <linux/i2c.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/unaligned.h>

#define FIRST_FREE_NR 0

static DEFINE_MUTEX(lock);
static LIST_HEAD(adapters);		/* Sync: lock */

const struct i2c_device_id *i2c_match_id(const struct i2c_device_id *table,
					 const struct i2c_client *client)
{
	for (const struct i2c_device_id *id = table; id && id->name[0]; id++)
		if (!strcmp(id->name, client->name))
			return id;
	return NULL;
}

static int match(struct device *dev, const struct device_driver *driver)
{
	return i2c_match_id(to_i2c_driver(driver)->id_table, to_i2c_client(dev)) != NULL;
}

/* Modules up to 6.2 have a second argument; it does no harm to the others. */
typedef int old_probe_fn(struct i2c_client *client, const struct i2c_device_id *id);

static int probe(struct device *dev)
{
	const struct i2c_driver *driver = to_i2c_driver(dev->driver);
	struct i2c_client *client = to_i2c_client(dev);

	if (driver->probe)
		return ((old_probe_fn *)(void *)driver->probe)(client,
			i2c_match_id(driver->id_table, client));
	return driver->usermm_probe_new ? driver->usermm_probe_new(client) : -EINVAL;
}

static void remove(struct device *dev)
{
	const struct i2c_driver *driver = to_i2c_driver(dev->driver);

	if (driver->remove)
		driver->remove(to_i2c_client(dev));
}

const struct bus_type i2c_bus_type = {
	.name = "i2c", .match = match, .probe = probe, .remove = remove,
};

int usermm_i2c_register_driver(struct i2c_driver *driver)
{
	driver->driver.bus = &i2c_bus_type;
	return driver_register(&driver->driver);
}

void i2c_del_driver(struct i2c_driver *driver)
{
	driver_unregister(&driver->driver);
}

static struct i2c_adapter *find_adapter(int nr)
{
	struct i2c_adapter *adapter;

	list_for_each_entry(adapter, &adapters, usermm_list)
		if (adapter->nr == nr)
			return adapter;
	return NULL;
}

/* Gives the adapter this number, or a free one for -1. -EBUSY if another adapter has the number. */
static int take_number(struct i2c_adapter *adapter, int nr)
{
	int error = 0;

	mutex_lock(&lock);
	if (nr < 0)
		for (nr = FIRST_FREE_NR; find_adapter(nr); nr++)
			;
	if (find_adapter(nr)) {
		error = -EBUSY;
	} else {
		adapter->nr = nr;
		list_add_tail(&adapter->usermm_list, &adapters);
	}
	mutex_unlock(&lock);
	return error;
}

static void drop_number(struct i2c_adapter *adapter)
{
	mutex_lock(&lock);
	list_del_init(&adapter->usermm_list);
	mutex_unlock(&lock);
}

static void nothing_to_release(struct device *dev)
{
	(void)dev;
}

static int add_adapter(struct i2c_adapter *adapter, int nr)
{
	int error;

	if (!adapter->name[0] || !adapter->algo) {
		pr_err("i2c: adapter '%s': no %s supplied!\n", adapter->name,
		       adapter->name[0] ? "algo" : "name");
		return -EINVAL;
	}
	mutex_init(&adapter->usermm_lock);
	if (!adapter->timeout)
		adapter->timeout = HZ;
	error = take_number(adapter, nr);
	if (error)
		return error;
	dev_set_name(&adapter->dev, "i2c-%d", adapter->nr);
	adapter->dev.release = nothing_to_release;
	error = device_register(&adapter->dev);
	if (error)
		drop_number(adapter);
	return error;
}

int i2c_add_adapter(struct i2c_adapter *adapter)
{
	return add_adapter(adapter, -1);
}

int i2c_add_numbered_adapter(struct i2c_adapter *adapter)
{
	return add_adapter(adapter, adapter->nr);
}

static int unregister_client(struct device *dev, void *unused)
{
	(void)unused;
	i2c_unregister_device(i2c_verify_client(dev));
	return 0;
}

void i2c_del_adapter(struct i2c_adapter *adapter)
{
	device_for_each_child(&adapter->dev, NULL, unregister_client);
	drop_number(adapter);
	device_unregister(&adapter->dev);
}

struct i2c_adapter *i2c_get_adapter(int nr)
{
	struct i2c_adapter *adapter;

	mutex_lock(&lock);
	adapter = find_adapter(nr);
	mutex_unlock(&lock);
	return adapter;
}

void i2c_put_adapter(struct i2c_adapter *adapter)
{
	(void)adapter;			/* it stays until its module removes it */
}

static void free_client(struct device *dev)
{
	kfree(to_i2c_client(dev));
}

static int has_address(struct device *dev, const void *address)
{
	struct i2c_client *client = i2c_verify_client(dev);

	return client && client->addr == *(const unsigned short *)address;
}

static bool is_taken(struct i2c_adapter *adapter, unsigned short address)
{
	struct device *dev = device_find_child(&adapter->dev, &address, has_address);

	put_device(dev);
	return dev != NULL;
}

static bool is_address(const struct i2c_board_info *info)
{
	unsigned int last = info->flags & I2C_CLIENT_TEN ? 0x3ff : 0x7f;

	return info->addr && info->addr <= last;
}

struct i2c_client *i2c_new_client_device(struct i2c_adapter *adapter,
					 const struct i2c_board_info *info)
{
	struct i2c_client *client;
	int error;

	if (!adapter || !is_address(info))
		return ERR_PTR(-EINVAL);
	if (is_taken(adapter, info->addr)) {
		dev_err(&adapter->dev, "Failed to register i2c client %s at 0x%02x (%d)\n",
			info->type, info->addr, -EBUSY);
		return ERR_PTR(-EBUSY);
	}
	client = kzalloc(sizeof(*client), GFP_KERNEL);
	if (!client)
		return ERR_PTR(-ENOMEM);
	client->adapter = adapter;
	client->addr = info->addr;
	client->flags = info->flags;
	client->init_irq = client->irq = info->irq;
	strscpy(client->name, info->type, sizeof(client->name));
	client->dev.parent = &adapter->dev;
	client->dev.bus = &i2c_bus_type;
	client->dev.release = free_client;
	client->dev.of_node = info->of_node;
	client->dev.fwnode = info->fwnode;
	client->dev.platform_data = info->platform_data;
	dev_set_name(&client->dev, "%d-%04x", adapter->nr, client->addr);
	error = device_register(&client->dev);
	if (error) {
		put_device(&client->dev);
		return ERR_PTR(error);
	}
	return client;
}

void i2c_unregister_device(struct i2c_client *client)
{
	if (!IS_ERR_OR_NULL(client))
		device_unregister(&client->dev);
}

int i2c_transfer(struct i2c_adapter *adapter, struct i2c_msg *messages, int n)
{
	int result = -EAGAIN;

	if (!adapter->algo->xfer)
		return -EOPNOTSUPP;
	if (n < 1)
		return -EINVAL;
	mutex_lock(&adapter->usermm_lock);
	for (int i = 0; i <= adapter->retries && result == -EAGAIN; i++)
		result = adapter->algo->xfer(adapter, messages, n);
	mutex_unlock(&adapter->usermm_lock);
	return result;
}

int i2c_transfer_buffer_flags(const struct i2c_client *client, char *buffer, int n, u16 flags)
{
	struct i2c_msg message = {
		.addr = client->addr, .flags = (u16)((client->flags & I2C_M_TEN) | flags),
		.len = (u16)n, .buf = (u8 *)buffer,
	};
	int result = i2c_transfer(client->adapter, &message, 1);

	return result == 1 ? n : result;
}

/* How many bytes of data the protocol has; -1: a block, whose first byte says it. */
static int data_bytes(int protocol)
{
	switch (protocol) {
	case I2C_SMBUS_QUICK:
	case I2C_SMBUS_BYTE:
		return 0;
	case I2C_SMBUS_BYTE_DATA:
		return 1;
	case I2C_SMBUS_WORD_DATA:
		return 2;
	default:
		return -1;
	}
}

/* A read of one byte without a command, or the quick command. */
static s32 transfer_bare(struct i2c_adapter *adapter, u16 address, char read_write, u8 command,
			 int protocol, union i2c_smbus_data *data)
{
	bool reads = read_write == I2C_SMBUS_READ;
	struct i2c_msg message = {
		.addr = address, .flags = reads ? I2C_M_RD : 0,
		.len = protocol == I2C_SMBUS_BYTE,
		.buf = reads && data ? &data->byte : &command,
	};
	int result = i2c_transfer(adapter, &message, 1);

	return result < 0 ? result : result == 1 ? 0 : -EIO;
}

static s32 transfer_by_messages(struct i2c_adapter *adapter, u16 address, char read_write,
				u8 command, int protocol, union i2c_smbus_data *data)
{
	bool reads = read_write == I2C_SMBUS_READ, is_block;
	bool is_word = protocol == I2C_SMBUS_WORD_DATA;		/* the low byte comes first */
	u8 buffer[I2C_SMBUS_BLOCK_MAX + 2] = { command };
	struct i2c_msg messages[2] = {
		{ .addr = address, .len = 1, .buf = buffer },
		{ .addr = address, .flags = I2C_M_RD, .buf = buffer + 1 },
	};
	int n = data_bytes(protocol), result;
	u8 *bytes;

	if (!n)
		return transfer_bare(adapter, address, read_write, command, protocol, data);
	is_block = n < 0;
	if (is_block && (protocol == I2C_SMBUS_PROC_CALL || data->block[0] > I2C_SMBUS_BLOCK_MAX ||
			 (reads && protocol == I2C_SMBUS_BLOCK_DATA)))
		return -EOPNOTSUPP;
	bytes = is_block ? &data->block[protocol == I2C_SMBUS_I2C_BLOCK_DATA] : &data->byte;
	if (is_block)
		n = data->block[0] + (protocol == I2C_SMBUS_BLOCK_DATA);
	if (!reads) {
		memcpy(buffer + 1, bytes, (size_t)n);
		if (is_word)
			put_unaligned_le16(data->word, buffer + 1);
		messages[0].len = (u16)(n + 1);
	} else {
		messages[1].len = (u16)n;
	}
	result = i2c_transfer(adapter, messages, reads ? 2 : 1);
	if (result != (reads ? 2 : 1))
		return result < 0 ? result : -EIO;
	if (reads && is_word)
		data->word = get_unaligned_le16(buffer + 1);
	else if (reads)
		memcpy(bytes, buffer + 1, (size_t)n);
	return 0;
}

s32 i2c_smbus_xfer(struct i2c_adapter *adapter, u16 address, unsigned short flags,
		   char read_write, u8 command, int protocol, union i2c_smbus_data *data)
{
	s32 result;

	if (!adapter->algo->smbus_xfer)
		return transfer_by_messages(adapter, address, read_write, command, protocol, data);
	mutex_lock(&adapter->usermm_lock);
	result = adapter->algo->smbus_xfer(adapter, address, flags, read_write, command, protocol,
					   data);
	mutex_unlock(&adapter->usermm_lock);
	return result;
}
