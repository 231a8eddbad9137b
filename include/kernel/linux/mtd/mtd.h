/* SPDX-License-Identifier: MIT */
/* Flash memory. A module's devices are registered; no program opens them. */
#ifndef __MTD_MTD_H__
#define __MTD_MTD_H__

#include <linux/device.h>
#include <linux/errno.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/nvmem-provider.h>
#include <linux/of.h>
#include <linux/types.h>
#include <linux/uio.h>

#define MTD_ABSENT 0
#define MTD_RAM 1
#define MTD_ROM 2
#define MTD_NORFLASH 3
#define MTD_NANDFLASH 4
#define MTD_DATAFLASH 6
#define MTD_WRITEABLE 0x400
#define MTD_BIT_WRITEABLE 0x800
#define MTD_NO_ERASE 0x1000
#define MTD_POWERUP_LOCK 0x2000
#define MTD_CAP_ROM 0
#define MTD_CAP_RAM (MTD_WRITEABLE | MTD_BIT_WRITEABLE | MTD_NO_ERASE)
#define MTD_CAP_NORFLASH (MTD_WRITEABLE | MTD_BIT_WRITEABLE)
#define MTD_CAP_NANDFLASH MTD_WRITEABLE
#define MTD_FAIL_ADDR_UNKNOWN (-1LL)
#define MTDPART_OFS_APPEND (-1)
#define MTDPART_SIZ_FULL 0

struct erase_info {
	uint64_t addr, len, fail_addr;
};

struct mtd_oob_ops {
	unsigned int mode;
	size_t len, retlen, ooblen, oobretlen;
	uint32_t ooboffs;
	uint8_t *datbuf, *oobbuf;
};

struct mtd_info {
	u_char type;
	uint32_t flags;
	uint64_t size;
	uint32_t erasesize, writesize, writebufsize, oobsize, oobavail;
	unsigned int erasesize_shift, writesize_shift, erasesize_mask, writesize_mask;
	const char *name;
	int index, numeraseregions;
	int (*_erase)(struct mtd_info *mtd, struct erase_info *erase);
	int (*_point)(struct mtd_info *mtd, loff_t from, size_t n, size_t *done, void **address,
		      resource_size_t *physical);
	int (*_unpoint)(struct mtd_info *mtd, loff_t from, size_t n);
	int (*_read)(struct mtd_info *mtd, loff_t from, size_t n, size_t *done, u_char *buffer);
	int (*_write)(struct mtd_info *mtd, loff_t to, size_t n, size_t *done,
		      const u_char *buffer);
	int (*_panic_write)(struct mtd_info *mtd, loff_t to, size_t n, size_t *done,
			    const u_char *buffer);
	int (*_read_oob)(struct mtd_info *mtd, loff_t from, struct mtd_oob_ops *operations);
	int (*_write_oob)(struct mtd_info *mtd, loff_t to, struct mtd_oob_ops *operations);
	void (*_sync)(struct mtd_info *mtd);
	int (*_lock)(struct mtd_info *mtd, loff_t from, uint64_t n);
	int (*_unlock)(struct mtd_info *mtd, loff_t from, uint64_t n);
	int (*_is_locked)(struct mtd_info *mtd, loff_t from, uint64_t n);
	int (*_block_isbad)(struct mtd_info *mtd, loff_t from);
	int (*_block_markbad)(struct mtd_info *mtd, loff_t from);
	int (*_get_device)(struct mtd_info *mtd);
	void (*_put_device)(struct mtd_info *mtd);
	struct module *owner;
	struct device dev;
	void *priv;
};

struct mtd_partition {
	const char *name;
	const char *const *types;
	uint64_t size, offset;
	uint32_t mask_flags;
};

/* 0; -EINVAL without a size of what is written or, if it is to be erased, of what is erased. */
static inline int mtd_device_register(struct mtd_info *mtd, const struct mtd_partition *parts,
				      int n)
{
	(void)parts;
	(void)n;
	if (!mtd->writesize ||
	    (!mtd->erasesize && mtd->_erase && !(mtd->flags & MTD_NO_ERASE)))
		return -EINVAL;
	return 0;
}

#define mtd_device_parse_register(mtd, types, data, parts, n) \
	((void)(types), (void)(data), mtd_device_register(mtd, parts, n))
#define mtd_device_unregister(mtd) ((void)(mtd), 0)
#define devm_mtd_device_register(dev, mtd, parts, n) \
	((void)(dev), mtd_device_register(mtd, parts, n))
#define add_mtd_partitions(mtd, parts, n) mtd_device_register(mtd, parts, n)
#define get_mtd_device(mtd, index) \
	((void)(mtd), (void)(index), (struct mtd_info *)ERR_PTR(-ENODEV))
#define get_mtd_device_nm(name) ((void)(name), (struct mtd_info *)ERR_PTR(-ENODEV))
#define put_mtd_device(mtd) ((void)(mtd))
#define mtd_can_have_bb(mtd) ((mtd)->_block_isbad != NULL)
#define mtd_has_oob(mtd) ((mtd)->_read_oob && (mtd)->_write_oob)
#define mtd_div_by_eb(n, mtd) div_u64(n, (mtd)->erasesize)
#define mtd_mod_by_eb(n, mtd) ((uint32_t)((n) % (mtd)->erasesize))
#define mtd_is_bitflip(error) ((error) == -EUCLEAN)
#define mtd_set_of_node(mtd, node) ((void)(mtd), (void)(node))

static inline int usermm_mtd_range(const struct mtd_info *mtd, loff_t at, size_t n, size_t *done)
{
	*done = 0;
	return at < 0 || (uint64_t)at > mtd->size || n > mtd->size - (uint64_t)at ? -EINVAL : 0;
}

static inline int mtd_read(struct mtd_info *mtd, loff_t from, size_t n, size_t *done,
			   u_char *buffer)
{
	int error = usermm_mtd_range(mtd, from, n, done);

	if (error || !n)
		return error;
	return mtd->_read ? mtd->_read(mtd, from, n, done, buffer) : -EOPNOTSUPP;
}

static inline int mtd_write(struct mtd_info *mtd, loff_t to, size_t n, size_t *done,
			    const u_char *buffer)
{
	int error = usermm_mtd_range(mtd, to, n, done);

	if (error)
		return error;
	if (!mtd->_write || !(mtd->flags & MTD_WRITEABLE))
		return -EROFS;
	return n ? mtd->_write(mtd, to, n, done, buffer) : 0;
}

static inline int mtd_erase(struct mtd_info *mtd, struct erase_info *erase)
{
	erase->fail_addr = (uint64_t)MTD_FAIL_ADDR_UNKNOWN;
	if (!mtd->erasesize || !mtd->_erase)
		return -EOPNOTSUPP;
	if (erase->addr >= mtd->size || erase->len > mtd->size - erase->addr)
		return -EINVAL;
	if (!(mtd->flags & MTD_WRITEABLE))
		return -EROFS;
	return erase->len ? mtd->_erase(mtd, erase) : 0;
}

#endif
