/* SPDX-License-Identifier: MIT */
/*
 * Input devices and handlers that modules make. A handler is connected to each device that matches
 * its table, and gets the events that the device's module reports. There are no other devices, and
 * no files in /dev/input.
 */
#ifndef KERNEL_LINUX_INPUT_H
#define KERNEL_LINUX_INPUT_H

#include <linux/bitops.h>
#include <linux/dev_printk.h>
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/ioport.h>
#include <linux/mod_devicetable.h>
#include <linux/pid.h>
#include <linux/socket.h>
#include <linux/time.h>
#include <linux/timer.h>
#include <linux/types.h>
#include <usermm/compiler.h>
#include_next <linux/input.h>

#ifndef KEY_CNT
#define KEY_CNT (KEY_MAX + 1)
#endif

struct input_dev;
struct input_handle;
struct input_handler;

struct input_value {
	__u16 type, code;
	__s32 value;
};

struct input_mt;

struct input_dev {
	const char *name, *phys, *uniq;
	struct input_id id;
	unsigned long propbit[BITS_TO_LONGS(INPUT_PROP_CNT)];
	unsigned long evbit[BITS_TO_LONGS(EV_CNT)];
	unsigned long keybit[BITS_TO_LONGS(KEY_CNT)];
	unsigned long relbit[BITS_TO_LONGS(REL_CNT)];
	unsigned long absbit[BITS_TO_LONGS(ABS_CNT)];
	unsigned long mscbit[BITS_TO_LONGS(MSC_CNT)];
	unsigned long ledbit[BITS_TO_LONGS(LED_CNT)];
	unsigned long sndbit[BITS_TO_LONGS(SND_CNT)];
	unsigned long ffbit[BITS_TO_LONGS(FF_CNT)];
	unsigned long swbit[BITS_TO_LONGS(SW_CNT)];
	unsigned int keycodemax, keycodesize;
	void *keycode;
	struct input_absinfo *absinfo;	/* NULL: no axis was described */
	unsigned long key[BITS_TO_LONGS(KEY_CNT)];	/* what is pressed now */
	unsigned long led[BITS_TO_LONGS(LED_CNT)];
	unsigned long sw[BITS_TO_LONGS(SW_CNT)];
	int rep[REP_CNT];
	int (*open)(struct input_dev *dev);
	void (*close)(struct input_dev *dev);
	int (*flush)(struct input_dev *dev, struct file *file);
	int (*event)(struct input_dev *dev, unsigned int type, unsigned int code, int value);
	spinlock_t event_lock;
	struct mutex mutex;
	unsigned int users;		/* Sync: mutex */
	struct device dev;
	struct list_head h_list, node;	/* Sync: kernel/input/input.c's lock */
	bool usermm_is_managed;
	struct input_mt *usermm_mt;	/* input/mt.h; NULL: no slots */
};

struct input_handle {
	void *private;
	int open;			/* Sync: dev->mutex */
	const char *name;
	struct input_dev *dev;
	struct input_handler *handler;
	struct list_head d_node, h_node;	/* Sync: kernel/input/input.c's lock, RCU */
};

struct input_handler {
	void *private;
	void (*event)(struct input_handle *handle, unsigned int type, unsigned int code,
		      int value);
	void (*events)(struct input_handle *handle, const struct input_value *values,
		       unsigned int n);
	/* True keeps the event from the other handlers. */
	bool (*filter)(struct input_handle *handle, unsigned int type, unsigned int code,
		       int value);
	bool (*match)(struct input_handler *handler, struct input_dev *dev);
	int (*connect)(struct input_handler *handler, struct input_dev *dev,
		       const struct input_device_id *id);
	void (*disconnect)(struct input_handle *handle);
	void (*start)(struct input_handle *handle);
	bool legacy_minors;
	int minor;
	const char *name;
	const struct input_device_id *id_table;
	struct list_head h_list, node;	/* Sync: kernel/input/input.c's lock */
};

USERMM_BEGIN_DECLS

/* NULL without memory. The second is freed, and taken off, with `dev`. */
struct input_dev *input_allocate_device(void) USERMM_API(input_allocate_device);
struct input_dev *devm_input_allocate_device(struct device *dev)
	USERMM_API(devm_input_allocate_device);
/* For a device that was not registered. */
void input_free_device(struct input_dev *dev) USERMM_API(input_free_device);
int input_register_device(struct input_dev *dev) USERMM_API(input_register_device);
/* Frees the device as well. */
void input_unregister_device(struct input_dev *dev) USERMM_API(input_unregister_device);
int input_register_handler(struct input_handler *handler) USERMM_API(input_register_handler);
void input_unregister_handler(struct input_handler *handler)
	USERMM_API(input_unregister_handler);
int input_register_handle(struct input_handle *handle) USERMM_API(input_register_handle);
void input_unregister_handle(struct input_handle *handle) USERMM_API(input_unregister_handle);
int input_open_device(struct input_handle *handle) USERMM_API(input_open_device);
void input_close_device(struct input_handle *handle) USERMM_API(input_close_device);
/* An event that the device does not have is dropped. Any context. */
void input_event(struct input_dev *dev, unsigned int type, unsigned int code, int value)
	USERMM_API(input_event);
/* An event from a handler: it also reaches the device's event(). */
void input_inject_event(struct input_handle *handle, unsigned int type, unsigned int code,
			int value) USERMM_API(input_inject_event);
void input_set_abs_params(struct input_dev *dev, unsigned int axis, int low, int high, int fuzz,
			  int flat) USERMM_API(input_set_abs_params);

USERMM_END_DECLS

#define to_input_dev(device) container_of(device, struct input_dev, dev)
#define input_get_drvdata(input) dev_get_drvdata(&(input)->dev)
#define input_set_drvdata(input, data) dev_set_drvdata(&(input)->dev, data)
#define input_get_device(input) (get_device(&(input)->dev), (input))
#define input_put_device(input) put_device(&(input)->dev)
#define input_report_key(input, code, value) input_event(input, EV_KEY, code, (value) != 0)
#define input_report_rel(input, code, value) input_event(input, EV_REL, code, value)
#define input_report_abs(input, code, value) input_event(input, EV_ABS, code, value)
#define input_report_switch(input, code, value) input_event(input, EV_SW, code, (value) != 0)
#define input_sync(input) input_event(input, EV_SYN, SYN_REPORT, 0)
#define input_mt_sync(input) input_event(input, EV_SYN, SYN_MT_REPORT, 0)
#define input_enable_softrepeat(input, delay, period) \
	((void)((input)->rep[REP_DELAY] = (delay)), (void)((input)->rep[REP_PERIOD] = (period)))
#define input_abs_get_val(input, axis) \
	((input)->absinfo ? (input)->absinfo[axis].value : 0)

static inline void input_set_capability(struct input_dev *dev, unsigned int type,
					unsigned int code)
{
	unsigned long *bits = type == EV_KEY ? dev->keybit : type == EV_REL ? dev->relbit :
			      type == EV_ABS ? dev->absbit : type == EV_MSC ? dev->mscbit :
			      type == EV_SW ? dev->swbit : type == EV_LED ? dev->ledbit :
			      type == EV_SND ? dev->sndbit : type == EV_FF ? dev->ffbit : NULL;

	if (bits)
		__set_bit(code, bits);
	__set_bit(type, dev->evbit);
}

#endif
