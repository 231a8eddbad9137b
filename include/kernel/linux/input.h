/* SPDX-License-Identifier: MIT */
/*
 * Input devices and handlers that modules make. A handler is connected to each device that matches
 * its table, and gets the events that the device's module reports: a packet of them at each
 * SYN_REPORT, or when the device's room for them is full. Each device has a file
 * /dev/input/eventN, too. There are no other devices.
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
struct input_dev_poller;

enum input_clock_type { INPUT_CLK_REAL, INPUT_CLK_MONO, INPUT_CLK_BOOT, INPUT_CLK_MAX };

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
	unsigned int hint_events_per_packet;
	unsigned int keycodemax, keycodesize;
	void *keycode;
	int (*setkeycode)(struct input_dev *dev, const struct input_keymap_entry *entry,
			  unsigned int *old_keycode);
	int (*getkeycode)(struct input_dev *dev, struct input_keymap_entry *entry);
	unsigned int repeat_key;	/* Sync: event_lock */
	struct timer_list timer;	/* repeats this key; without a function: nobody does */
	struct input_dev_poller *poller;	/* input_setup_polling(), or NULL */
	int rep[REP_CNT];
	struct input_mt *mt;		/* input/mt.h; NULL: no slots */
	struct input_absinfo *absinfo;	/* NULL: no axis was described */
	unsigned long key[BITS_TO_LONGS(KEY_CNT)];	/* what is pressed now */
	unsigned long led[BITS_TO_LONGS(LED_CNT)];
	unsigned long snd[BITS_TO_LONGS(SND_CNT)];
	unsigned long sw[BITS_TO_LONGS(SW_CNT)];
	int (*open)(struct input_dev *dev);
	void (*close)(struct input_dev *dev);
	int (*flush)(struct input_dev *dev, struct file *file);
	int (*event)(struct input_dev *dev, unsigned int type, unsigned int code, int value);
	struct input_handle *grab;	/* gets all events alone. Sync: mutex, RCU */
	spinlock_t event_lock;
	struct mutex mutex;
	unsigned int users;		/* Sync: mutex */
	bool going_away;		/* Sync: mutex, event_lock */
	struct device dev;
	struct list_head h_list, node;	/* Sync: kernel/input/input.c's lock */
	unsigned int num_vals, max_vals;
	struct input_value *vals;	/* the packet that is not complete. Sync: event_lock */
	bool devres_managed;
	ktime_t timestamp[INPUT_CLK_MAX];	/* [INPUT_CLK_MONO] is 0: none was set */
};

struct input_handle {
	void *private;
	int open;			/* Sync: dev->mutex; read without */
	const char *name;
	struct input_dev *dev;
	struct input_handler *handler;
	struct list_head d_node, h_node;	/* Sync: kernel/input/input.c's lock, RCU */
};

struct input_handler {
	void *private;
	void (*event)(struct input_handle *handle, unsigned int type, unsigned int code,
		      int value);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
	/* Returns how many of them the next handlers get. */
	unsigned int (*events)(struct input_handle *handle, struct input_value *values,
			       unsigned int n);
#else
	void (*events)(struct input_handle *handle, const struct input_value *values,
		       unsigned int n);
#endif
	/* True keeps the event from the other handlers. */
	bool (*filter)(struct input_handle *handle, unsigned int type, unsigned int code,
		       int value);
	bool (*match)(struct input_handler *handler, struct input_dev *dev);
	int (*connect)(struct input_handler *handler, struct input_dev *dev,
		       const struct input_device_id *id);
	void (*disconnect)(struct input_handle *handle);
	void (*start)(struct input_handle *handle);
	bool passive_observer;		/* does not open the device */
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
/* An event that the device may report. One that does not exist is told in the log. */
void input_set_capability(struct input_dev *dev, unsigned int type, unsigned int code)
	USERMM_API(input_set_capability);
void input_alloc_absinfo(struct input_dev *dev) USERMM_API(input_alloc_absinfo);
/* Repetition of keys by a timer, with these milliseconds. */
void input_enable_softrepeat(struct input_dev *dev, int delay, int period)
	USERMM_API(input_enable_softrepeat);
/* The handle gets all events alone. 0, -EBUSY or -EINTR. */
int input_grab_device(struct input_handle *handle) USERMM_API(input_grab_device);
void input_release_device(struct input_handle *handle) USERMM_API(input_release_device);
int input_flush_device(struct input_handle *handle, struct file *file)
	USERMM_API(input_flush_device);
/* Lets keys go, and switches lights and sounds off that are on. */
void input_reset_device(struct input_dev *dev) USERMM_API(input_reset_device);
int input_handler_for_each_handle(struct input_handler *handler, void *data,
				  int (*function)(struct input_handle *handle, void *data))
	USERMM_API(input_handler_for_each_handle);
bool input_match_device_id(const struct input_dev *dev, const struct input_device_id *id)
	USERMM_API(input_match_device_id);
int input_scancode_to_scalar(const struct input_keymap_entry *entry, unsigned int *scancode)
	USERMM_API(input_scancode_to_scalar);
int input_get_keycode(struct input_dev *dev, struct input_keymap_entry *entry)
	USERMM_API(input_get_keycode);
int input_set_keycode(struct input_dev *dev, const struct input_keymap_entry *entry)
	USERMM_API(input_set_keycode);
/* The time of the events up to the next SYN_REPORT, of CLOCK_MONOTONIC. */
void input_set_timestamp(struct input_dev *dev, ktime_t timestamp)
	USERMM_API(input_set_timestamp);
ktime_t *input_get_timestamp(struct input_dev *dev) USERMM_API(input_get_timestamp);

/*
 * Devices that are asked every so many milliseconds, as long as somebody has them open (500 unless
 * it is said). 0 or -ENOMEM; the interval is -EINVAL for a device that is not asked.
 */
int input_setup_polling(struct input_dev *dev, void (*poll)(struct input_dev *dev))
	USERMM_API(input_setup_polling);
void input_set_poll_interval(struct input_dev *dev, unsigned int interval)
	USERMM_API(input_set_poll_interval);
void input_set_min_poll_interval(struct input_dev *dev, unsigned int interval)
	USERMM_API(input_set_min_poll_interval);
void input_set_max_poll_interval(struct input_dev *dev, unsigned int interval)
	USERMM_API(input_set_max_poll_interval);
int input_get_poll_interval(struct input_dev *dev) USERMM_API(input_get_poll_interval);

extern const struct class input_class __attribute__((visibility("default")));

USERMM_END_DECLS

#define to_input_dev(device) container_of(device, struct input_dev, dev)
#define input_get_drvdata(input) dev_get_drvdata(&(input)->dev)
#define input_set_drvdata(input, data) dev_set_drvdata(&(input)->dev, data)
#define input_get_device(input) (get_device(&(input)->dev), (input))
#define input_put_device(input) put_device(&(input)->dev)
#define input_report_key(input, code, value) input_event(input, EV_KEY, code, (value) != 0)
#define input_report_rel(input, code, value) input_event(input, EV_REL, code, value)
#define input_report_abs(input, code, value) input_event(input, EV_ABS, code, value)
#define input_report_ff_status(input, code, value) \
	input_event(input, EV_FF_STATUS, code, value)
#define input_report_switch(input, code, value) input_event(input, EV_SW, code, (value) != 0)
#define input_sync(input) input_event(input, EV_SYN, SYN_REPORT, 0)
#define input_mt_sync(input) input_event(input, EV_SYN, SYN_MT_REPORT, 0)

#define USERMM_ABS_ACCESSOR(suffix, field)					\
static inline int input_abs_get_##suffix(struct input_dev *dev, unsigned int axis)	\
{										\
	return dev->absinfo ? dev->absinfo[axis].field : 0;			\
}										\
static inline void input_abs_set_##suffix(struct input_dev *dev, unsigned int axis, int value) \
{										\
	input_alloc_absinfo(dev);						\
	if (dev->absinfo)							\
		dev->absinfo[axis].field = value;				\
}
USERMM_ABS_ACCESSOR(val, value)
USERMM_ABS_ACCESSOR(min, minimum)
USERMM_ABS_ACCESSOR(max, maximum)
USERMM_ABS_ACCESSOR(fuzz, fuzz)
USERMM_ABS_ACCESSOR(flat, flat)
USERMM_ABS_ACCESSOR(res, resolution)

static inline void input_set_events_per_packet(struct input_dev *dev, int n)
{
	dev->hint_events_per_packet = (unsigned int)n;
}

#endif
