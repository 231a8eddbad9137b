/* SPDX-License-Identifier: MIT */
/*
 * Targets of the device mapper. They are registered. No program can make a mapped device, so a
 * target's constructor is never called, and the calls that need a table are never reached.
 */
#ifndef _LINUX_DEVICE_MAPPER_H
#define _LINUX_DEVICE_MAPPER_H

#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/kdev_t.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/ratelimit.h>
#include <linux/version.h>
#include <usermm/compiler.h>

struct dm_dev;
struct dm_report_zones_args;
struct dm_table;
struct dm_target;
struct mapped_device;
struct request;
struct target_type;

typedef enum { STATUSTYPE_INFO, STATUSTYPE_TABLE, STATUSTYPE_IMA } status_type_t;
typedef int (*iterate_devices_callout_fn)(struct dm_target *target, struct dm_dev *dev,
					  sector_t start, sector_t length, void *data);

#define DM_NAME "device-mapper"
#define DM_MAPIO_SUBMITTED 0
#define DM_MAPIO_REMAPPED 1
#define DM_MAPIO_REQUEUE 2
#define DM_MAPIO_DELAY_REQUEUE 3
#define DM_MAPIO_KILL 4
#define DM_ENDIO_DONE 0
#define DM_ENDIO_INCOMPLETE 1
#define DM_ENDIO_REQUEUE 2
#define DM_ENDIO_DELAY_REQUEUE 3
#define DM_TARGET_SINGLETON 0x001
#define DM_TARGET_ALWAYS_WRITEABLE 0x002
#define DM_TARGET_IMMUTABLE 0x004
#define DM_TARGET_WILDCARD 0x008
#define DM_TARGET_INTEGRITY 0x010
#define DM_TARGET_PASSES_INTEGRITY 0x020
#define DM_TARGET_ZONED_HM 0x040
#define DM_TARGET_NOWAIT 0x080
#define DM_TARGET_PASSES_CRYPTO 0x100

struct dm_dev {
	struct block_device *bdev;
	blk_mode_t mode;
	char name[16];
};

struct dm_target {
	struct dm_table *table;
	struct target_type *type;
	sector_t begin, len;
	u32 max_io_len;
	unsigned int num_flush_bios, num_discard_bios, num_secure_erase_bios;
	unsigned int num_write_zeroes_bios, per_io_data_size;
	void *private;
	char *error;			/* why the constructor failed */
	bool flush_supported, discards_supported, limit_swap_bios, emulate_zone_append;
	bool accounts_remapped_io, needs_bio_set_dev, flush_bypasses_map, mempool_needs_integrity;
};

struct target_type {
	u64 features;			/* DM_TARGET_ */
	const char *name;
	struct module *module;
	unsigned int version[3];
	int (*ctr)(struct dm_target *target, unsigned int argc, char **argv);
	void (*dtr)(struct dm_target *target);
	int (*map)(struct dm_target *target, struct bio *bio);
	int (*end_io)(struct dm_target *target, struct bio *bio, blk_status_t *error);
	void (*presuspend)(struct dm_target *target);
	void (*presuspend_undo)(struct dm_target *target);
	void (*postsuspend)(struct dm_target *target);
	int (*preresume)(struct dm_target *target);
	void (*resume)(struct dm_target *target);
	void (*status)(struct dm_target *target, status_type_t type, unsigned int flags,
		       char *result, unsigned int maxlen);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(4, 17, 0)
	int (*message)(struct dm_target *target, unsigned int argc, char **argv, char *result,
		       unsigned int maxlen);
#else
	int (*message)(struct dm_target *target, unsigned int argc, char **argv);
#endif
	int (*prepare_ioctl)(struct dm_target *target, struct block_device **bdev);
	int (*report_zones)(struct dm_target *target, struct dm_report_zones_args *args,
			    unsigned int nr_zones);	/* so since 5.5 */
	int (*busy)(struct dm_target *target);
	int (*iterate_devices)(struct dm_target *target, iterate_devices_callout_fn function,
			       void *data);
	void (*io_hints)(struct dm_target *target, struct queue_limits *limits);
	struct list_head list;
};

/* A constructor's arguments that were not taken yet. */
struct dm_arg_set {
	unsigned int argc;
	char **argv;
};

struct dm_arg {
	unsigned int min, max;
	char *error;
};

USERMM_BEGIN_DECLS

/* 0; -EEXIST if a target has the name. */
int dm_register_target(struct target_type *target) USERMM_API(dm_register_target);
void dm_unregister_target(struct target_type *target) USERMM_API(dm_unregister_target);
/* Takes a number within the limits. 0; or -EINVAL with *error. */
int dm_read_arg(const struct dm_arg *arg, struct dm_arg_set *set, unsigned int *value,
		char **error) USERMM_API(dm_read_arg);
/* As dm_read_arg(), for the number of arguments that follow; they must be there. */
int dm_read_arg_group(const struct dm_arg *arg, struct dm_arg_set *set, unsigned int *number,
		      char **error) USERMM_API(dm_read_arg_group);
/* The first argument, which is taken; NULL if there is none. */
const char *dm_shift_arg(struct dm_arg_set *set) USERMM_API(dm_shift_arg);
void dm_consume_args(struct dm_arg_set *set, unsigned int number) USERMM_API(dm_consume_args);

USERMM_END_DECLS

/* 0; -EINVAL for more sectors than 32 bits count. */
static inline int dm_set_target_max_io_len(struct dm_target *target, sector_t sectors)
{
	if (sectors > UINT_MAX) {
		target->error = "a request cannot be so long";
		return -EINVAL;
	}
	target->max_io_len = (u32)sectors;
	return 0;
}

static inline sector_t to_sector(unsigned long long bytes)
{
	return bytes >> SECTOR_SHIFT;
}

static inline unsigned long to_bytes(sector_t sectors)
{
	return sectors << SECTOR_SHIFT;
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 18, 0)
/* Submits the target's own bio, or else the one that it got. */
static inline void dm_submit_bio_remap(struct bio *clone, struct bio *own)
{
	submit_bio_noacct(own ? own : clone);
}
#endif

#define dm_target_offset(target, sector) ((sector) - (target)->begin)
#define dm_get_device(target, path, mode, result) \
	((void)(target), (void)(path), (void)(mode), (void)(*(result) = NULL), -ENODEV)
#define dm_put_device(target, dev) ((void)(target), (void)(dev))
#define dm_table_get_mode(table) ((void)(table), (blk_mode_t)(BLK_OPEN_READ | BLK_OPEN_WRITE))
#define dm_table_get_size(table) ((void)(table), (sector_t)0)
#define dm_table_get_md(table) ((void)(table), (struct mapped_device *)NULL)
#define dm_table_device_name(table) ((void)(table), "")
#define dm_device_name(md) ((void)(md), "")
#define dm_per_bio_data(bio, size) ((void)(bio), (void)(size), (void *)NULL)
#define dm_bio_from_per_bio_data(data, size) ((void)(data), (void)(size), (struct bio *)NULL)
#define dm_accept_partial_bio(bio, sectors) ((void)(bio), (void)(sectors))

#define USERMM_DM_PREFIX "device-mapper: " DM_MSG_PREFIX ": "
#define DMERR(fmt, ...) pr_err(USERMM_DM_PREFIX fmt "\n", ##__VA_ARGS__)
#define DMERR_LIMIT(fmt, ...) pr_err_ratelimited(USERMM_DM_PREFIX fmt "\n", ##__VA_ARGS__)
#define DMCRIT(fmt, ...) pr_crit(USERMM_DM_PREFIX fmt "\n", ##__VA_ARGS__)
#define DMWARN(fmt, ...) pr_warn(USERMM_DM_PREFIX fmt "\n", ##__VA_ARGS__)
#define DMWARN_LIMIT(fmt, ...) pr_warn_ratelimited(USERMM_DM_PREFIX fmt "\n", ##__VA_ARGS__)
#define DMINFO(fmt, ...) pr_info(USERMM_DM_PREFIX fmt "\n", ##__VA_ARGS__)
#define DMINFO_LIMIT(fmt, ...) pr_info_ratelimited(USERMM_DM_PREFIX fmt "\n", ##__VA_ARGS__)
#define DMDEBUG(fmt, ...) pr_debug(USERMM_DM_PREFIX fmt "\n", ##__VA_ARGS__)
/* Appends to status()'s result. The caller has `sz`, `result` and `maxlen`. */
#define DMEMIT(...)							\
	(sz += sz < maxlen ? (unsigned int)scnprintf(result + sz, maxlen - sz, __VA_ARGS__) : 0)
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 15, 0)
#define DMEMIT_TARGET_NAME_VERSION(type)				\
	DMEMIT("target_name=%s,target_version=%u.%u.%u", (type)->name, (type)->version[0], \
	       (type)->version[1], (type)->version[2])
#endif
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
#define module_dm(name)							\
	static int __init dm_##name##_init(void)			\
	{								\
		return dm_register_target(&name##_target);		\
	}								\
	module_init(dm_##name##_init);					\
	static void __exit dm_##name##_exit(void)			\
	{								\
		dm_unregister_target(&name##_target);			\
	}								\
	module_exit(dm_##name##_exit)
#endif

#endif
