/* SPDX-License-Identifier: MIT */
/* Devices that measure: /sys/bus/iio/devices/iio:deviceN with name, in_voltage0_raw and so on. They
 * have no buffers that programs could read, and no events. */
#ifndef _INDUSTRIAL_IO_H_
#define _INDUSTRIAL_IO_H_

#include <linux/align.h>
#include <linux/bits.h>
#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/iio/types.h>
#include <linux/interrupt.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/types.h>
#include <usermm/compiler.h>

struct iio_chan_spec;
struct iio_dev;
struct iio_trigger;

enum iio_shared_by { IIO_SEPARATE, IIO_SHARED_BY_TYPE, IIO_SHARED_BY_DIR, IIO_SHARED_BY_ALL };
enum iio_endian { IIO_CPU, IIO_BE, IIO_LE };

struct iio_chan_spec_ext_info {
	const char *name;
	enum iio_shared_by shared;
	ssize_t (*read)(struct iio_dev *device, uintptr_t private,
			const struct iio_chan_spec *channel, char *buffer);
	ssize_t (*write)(struct iio_dev *device, uintptr_t private,
			 const struct iio_chan_spec *channel, const char *buffer, size_t n);
	uintptr_t private;
};

struct iio_event_spec {
	enum iio_event_type type;
	enum iio_event_direction dir;
	unsigned long mask_separate, mask_shared_by_type, mask_shared_by_dir, mask_shared_by_all;
};

struct iio_scan_type {
	union {
		char sign;
		char format;
	};
	u8 realbits, storagebits, shift, repeat;
	enum iio_endian endianness;
};

struct iio_chan_spec {
	enum iio_chan_type type;
	int channel, channel2;
	unsigned long address;
	int scan_index;
	struct iio_scan_type scan_type;
	long info_mask_separate, info_mask_separate_available;
	long info_mask_shared_by_type, info_mask_shared_by_type_available;
	long info_mask_shared_by_dir, info_mask_shared_by_dir_available;
	long info_mask_shared_by_all, info_mask_shared_by_all_available;
	const struct iio_event_spec *event_spec;
	unsigned int num_event_specs;
	const struct iio_chan_spec_ext_info *ext_info;
	const char *extend_name, *datasheet_name;
	unsigned int modified : 1, indexed : 1, output : 1, differential : 1, has_ext_scan_type : 1;
};

#define IIO_CHAN_SOFT_TIMESTAMP(index) \
	{ .type = IIO_TIMESTAMP, .channel = -1, .scan_index = (index), \
	  .scan_type = { .sign = 's', .realbits = 64, .storagebits = 64 } }

/* What the functions return, and how they take values: see Linux's IIO_VAL_ constants. */
struct iio_info {
	const struct attribute_group *event_attrs, *attrs;
	int (*read_raw)(struct iio_dev *device, const struct iio_chan_spec *channel, int *value,
			int *value2, long what);
	int (*read_raw_multi)(struct iio_dev *device, const struct iio_chan_spec *channel, int max,
			      int *values, int *n, long what);
	int (*read_avail)(struct iio_dev *device, const struct iio_chan_spec *channel,
			  const int **values, int *type, int *n, long what);
	int (*write_raw)(struct iio_dev *device, const struct iio_chan_spec *channel, int value,
			 int value2, long what);
	int (*read_label)(struct iio_dev *device, const struct iio_chan_spec *channel,
			  char *label);
	int (*write_raw_get_fmt)(struct iio_dev *device, const struct iio_chan_spec *channel,
				 long what);
	int (*read_event_config)(struct iio_dev *device, const struct iio_chan_spec *channel,
				 enum iio_event_type type, enum iio_event_direction direction);
	int (*write_event_config)(struct iio_dev *device, const struct iio_chan_spec *channel,
				  enum iio_event_type type, enum iio_event_direction direction,
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
				  bool on);
#else
				  int on);
#endif
	int (*read_event_value)(struct iio_dev *device, const struct iio_chan_spec *channel,
				enum iio_event_type type, enum iio_event_direction direction,
				enum iio_event_info what, int *value, int *value2);
	int (*write_event_value)(struct iio_dev *device, const struct iio_chan_spec *channel,
				 enum iio_event_type type, enum iio_event_direction direction,
				 enum iio_event_info what, int value, int value2);
	int (*validate_trigger)(struct iio_dev *device, struct iio_trigger *trigger);
	int (*update_scan_mode)(struct iio_dev *device, const unsigned long *mask);
	int (*debugfs_reg_access)(struct iio_dev *device, unsigned int reg, unsigned int value,
				  unsigned int *result);
	int (*hwfifo_set_watermark)(struct iio_dev *device, unsigned int value);
};

struct iio_buffer_setup_ops {
	int (*preenable)(struct iio_dev *device);
	int (*postenable)(struct iio_dev *device);
	int (*predisable)(struct iio_dev *device);
	int (*postdisable)(struct iio_dev *device);
	bool (*validate_scan_mask)(struct iio_dev *device, const unsigned long *mask);
};

#define INDIO_DIRECT_MODE 0x01
#define INDIO_BUFFER_TRIGGERED 0x02
#define INDIO_BUFFER_SOFTWARE 0x04
#define INDIO_BUFFER_HARDWARE 0x08
#define INDIO_EVENT_TRIGGERED 0x10
#define INDIO_ALL_BUFFER_MODES \
	(INDIO_BUFFER_TRIGGERED | INDIO_BUFFER_HARDWARE | INDIO_BUFFER_SOFTWARE)
#define INDIO_MAX_RAW_ELEMENTS 4
#define IIO_DMA_MINALIGN 64

struct iio_dev {
	int modes, currentmode;
	struct device dev;
	struct iio_buffer *buffer;
	int scan_bytes;
	const unsigned long *available_scan_masks, *active_scan_mask;
	unsigned int masklength;
	bool scan_timestamp;
	struct iio_trigger *trig;
	struct iio_poll_func *pollfunc;
	const struct iio_chan_spec *channels;
	int num_channels;
	const char *name, *label;
	const struct iio_info *info;
	const struct iio_buffer_setup_ops *setup_ops;
	void *priv;
	struct mutex mlock;
	int id;
	struct usermm_iio_files *usermm_files;	/* NULL unless registered */
};

USERMM_BEGIN_DECLS

/* With n bytes at iio_priv(). NULL without memory. */
struct iio_dev *iio_device_alloc(struct device *parent, int n) USERMM_API(iio_device_alloc);
void iio_device_free(struct iio_dev *device) USERMM_API(iio_device_free);
/* 0; -EINVAL without ->info; -EBUSY if two channels have one name; -ENOMEM. */
int __iio_device_register(struct iio_dev *device, struct module *module)
	USERMM_API(__iio_device_register);
void iio_device_unregister(struct iio_dev *device) USERMM_API(iio_device_unregister);
struct iio_dev *devm_iio_device_alloc(struct device *parent, int n)
	USERMM_API(devm_iio_device_alloc);
int __devm_iio_device_register(struct device *dev, struct iio_dev *device, struct module *module)
	USERMM_API(__devm_iio_device_register);

USERMM_END_DECLS

#define iio_device_register(device) __iio_device_register(device, THIS_MODULE)
#define devm_iio_device_register(dev, device) \
	__devm_iio_device_register(dev, device, THIS_MODULE)
#define devm_iio_device_free(dev, device) ((void)(dev), (void)(device))
#define devm_iio_device_unregister(dev, device) ((void)(dev), iio_device_unregister(device))

static inline void *iio_priv(const struct iio_dev *device)
{
	return device->priv;
}

#define dev_to_iio_dev(device) container_of(device, struct iio_dev, dev)
#define iio_device_get(device) \
	((device) ? dev_to_iio_dev(get_device(&(device)->dev)) : NULL)
#define iio_device_put(device) ((void)((device) ? (put_device(&(device)->dev), 0) : 0))
#define iio_device_set_drvdata(device, data) dev_set_drvdata(&(device)->dev, data)
#define iio_device_get_drvdata(device) dev_get_drvdata(&(device)->dev)
#define iio_device_set_parent(device, parent_ptr) ((void)((device)->dev.parent = (parent_ptr)))
#define iio_device_id(device) ((device)->id)

/* Buffers are never enabled, so the device is always its own. */
#define iio_buffer_enabled(device) ((void)(device), false)
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0)
#define iio_device_claim_direct(device) (mutex_lock(&(device)->mlock), true)
#define iio_device_release_direct(device) mutex_unlock(&(device)->mlock)
#else
#define iio_device_claim_direct(device) (mutex_lock(&(device)->mlock), true)
#define iio_device_release_direct(device) mutex_unlock(&(device)->mlock)
#define iio_device_claim_direct_mode(device) (mutex_lock(&(device)->mlock), 0)
#define iio_device_release_direct_mode(device) mutex_unlock(&(device)->mlock)
#endif
#define iio_get_time_ns(device) ((void)(device), (s64)ktime_get_real_ns())
#define iio_push_event(device, code, time) ((void)(device), (void)(code), (void)(time), 0)
#define IIO_DEGREE_TO_RAD(degrees) \
	(((degrees) * 314159ULL + 9000000ULL) / 18000000ULL)
#define IIO_G_TO_M_S_2(g) ((g) * 980665ULL / 100000ULL)

#endif
