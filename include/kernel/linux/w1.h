/* SPDX-License-Identifier: MIT */
/* The 1-wire bus of a machine without one: families are registered, and no slave is found. */
#ifndef __LINUX_W1_H
#define __LINUX_W1_H

#include <asm/byteorder.h>
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>

struct w1_slave;

/* As a number, it has the family in its low byte. */
struct w1_reg_num {
#ifdef __BIG_ENDIAN_BITFIELD
	__u64 crc : 8, id : 48, family : 8;
#else
	__u64 family : 8, id : 48, crc : 8;
#endif
};

#define W1_MAXNAMELEN 32
#define W1_SEARCH 0xf0
#define W1_ALARM_SEARCH 0xec
#define W1_CONVERT_TEMP 0x44
#define W1_SKIP_ROM 0xcc
#define W1_COPY_SCRATCHPAD 0x48
#define W1_WRITE_SCRATCHPAD 0x4e
#define W1_READ_SCRATCHPAD 0xbe
#define W1_READ_ROM 0x33
#define W1_MATCH_ROM 0x55

struct w1_bus_master {
	void *data;
	u8 (*read_bit)(void *data);
	void (*write_bit)(void *data, u8 bit);
	u8 (*touch_bit)(void *data, u8 bit);
	u8 (*read_byte)(void *data);
	void (*write_byte)(void *data, u8 byte);
	u8 (*read_block)(void *data, u8 *bytes, int n);
	void (*write_block)(void *data, const u8 *bytes, int n);
	u8 (*triplet)(void *data, u8 bit);
	u8 (*reset_bus)(void *data);
	u8 (*set_pullup)(void *data, int ms);
	char *dev_id;
};

struct w1_master {
	char name[W1_MAXNAMELEN];
	struct mutex bus_mutex;
	struct device dev;
	struct w1_bus_master *bus_master;
};

struct w1_family_ops {
	int (*add_slave)(struct w1_slave *slave);
	void (*remove_slave)(struct w1_slave *slave);
	const struct attribute_group **groups;
};

struct w1_family {
	struct list_head family_entry;
	u8 fid;
	const struct w1_family_ops *fops;
};

struct w1_slave {
	unsigned char name[W1_MAXNAMELEN];
	struct w1_reg_num reg_num;
	struct w1_master *master;
	struct w1_family *family;
	void *family_data;
	struct device dev;
};

#define w1_register_family(family) ((void)(family), 0)
#define w1_unregister_family(family) ((void)(family))
#define module_w1_family(family) module_driver(family, w1_register_family, w1_unregister_family)
#define w1_add_master_device(master) ((master)->reset_bus || (master)->touch_bit || \
				      ((master)->read_bit && (master)->write_bit) ? 0 : -EINVAL)
#define w1_remove_master_device(master) ((void)(master))
#define dev_to_w1_slave(device) container_of(device, struct w1_slave, dev)
#define dev_to_w1_master(device) container_of(device, struct w1_master, dev)

/* On a bus without slaves the lines read as ones, and no slave answers a reset. */
#define w1_reset_bus(master) ((void)(master), 1)
#define w1_reset_select_slave(slave) ((void)(slave), -1)
#define w1_reset_resume_command(master) ((void)(master), -1)
#define w1_read_8(master) ((void)(master), (u8)0xff)
#define w1_write_8(master, byte) ((void)(master), (void)(byte))
#define w1_write_block(master, bytes, n) ((void)(master), (void)(bytes), (void)(n))
#define w1_next_pullup(master, ms) ((void)(master), (void)(ms))

static inline u8 w1_read_block(struct w1_master *master, u8 *bytes, int n)
{
	(void)master;
	for (int i = 0; i < n; i++)
		bytes[i] = 0xff;
	return (u8)n;
}

/* The checksum of Maxim's chips: x^8 + x^5 + x^4 + 1, the lowest bit first. */
static inline u8 w1_calc_crc8(u8 *bytes, int n)
{
	u8 crc = 0;

	while (n-- > 0) {
		crc ^= *bytes++;
		for (int i = 0; i < 8; i++)
			crc = (u8)(crc & 1 ? crc >> 1 ^ 0x8c : crc >> 1);
	}
	return crc;
}

#endif
