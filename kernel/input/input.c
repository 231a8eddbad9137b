// SPDX-License-Identifier: MIT
/*
 * Input devices and handlers, and which of them belong together: see linux/input.h. cf. Linux
 * drivers/input/input.c.
 */
#include <linux/err.h>
#include <linux/input.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "input_core.h"

#define FIRST_VALUES 10			/* before the device is registered */

static DEFINE_MUTEX(lock);		/* connect() and disconnect() run under it, as in Linux */
static LIST_HEAD(devices);		/* Sync: lock */
static LIST_HEAD(handlers);		/* Sync: lock */
static atomic_t last_number = ATOMIC_INIT(-1);

static void free_managed(void *dev);

static char *file_name(const struct device *dev, umode_t *mode)
{
	(void)mode;
	return kasprintf(GFP_KERNEL, "input/%s", dev_name(dev));
}

const struct class input_class = { .name = "input", .devnode = file_name };

static void free_device(struct device *dev)
{
	struct input_dev *input = to_input_dev(dev);

	kfree(input->absinfo);
	kfree(input->mt);
	kfree(input->poller);
	kfree(input->vals);
	kfree(input);
}

struct input_dev *input_allocate_device(void)
{
	struct input_dev *dev = kzalloc(sizeof(*dev), GFP_KERNEL);

	if (!dev)
		return NULL;
	dev->max_vals = FIRST_VALUES;
	dev->vals = kcalloc(dev->max_vals, sizeof(*dev->vals), GFP_KERNEL);
	if (!dev->vals) {
		kfree(dev);
		return NULL;
	}
	dev->dev.class = &input_class;
	dev->dev.groups = input_device_groups;
	dev->dev.release = free_device;
	device_initialize(&dev->dev);
	mutex_init(&dev->mutex);
	spin_lock_init(&dev->event_lock);
	timer_setup(&dev->timer, NULL, 0);
	INIT_LIST_HEAD(&dev->h_list);
	INIT_LIST_HEAD(&dev->node);
	dev_set_name(&dev->dev, "input%d", atomic_inc_return(&last_number));
	return dev;
}

void input_free_device(struct input_dev *dev)
{
	if (!dev)
		return;
	if (dev->devres_managed)
		devm_release_action(dev->dev.parent, free_managed, dev);
	else
		input_put_device(dev);
}

/* The device's handlers get no more events: its keys are let go first. */
static void disconnect(struct input_dev *dev)
{
	struct input_handle *handle;

	mutex_lock(&dev->mutex);
	spin_lock_irq(&dev->event_lock);
	dev->going_away = true;
	input_release_keys_locked(dev);
	list_for_each_entry(handle, &dev->h_list, d_node)
		WRITE_ONCE(handle->open, 0);
	spin_unlock_irq(&dev->event_lock);
	mutex_unlock(&dev->mutex);
	timer_delete_sync(&dev->timer);
}

static void take_off(struct input_dev *dev)
{
	struct input_handle *handle, *next;

	if (list_empty(&dev->node))
		return;
	disconnect(dev);
	mutex_lock(&lock);
	list_for_each_entry_safe(handle, next, &dev->h_list, d_node)
		handle->handler->disconnect(handle);
	WARN_ON(!list_empty(&dev->h_list));
	list_del_init(&dev->node);
	mutex_unlock(&lock);
	device_del(&dev->dev);
}

static void free_managed(void *dev)
{
	take_off(dev);
	input_put_device((struct input_dev *)dev);
}

struct input_dev *devm_input_allocate_device(struct device *parent)
{
	struct input_dev *dev = input_allocate_device();

	if (!dev)
		return NULL;
	dev->dev.parent = parent;
	dev->devres_managed = true;
	return devm_add_action_or_reset(parent, free_managed, dev) ? NULL : dev;
}

bool input_match_device_id(const struct input_dev *dev, const struct input_device_id *id)
{
	if ((id->flags & INPUT_DEVICE_ID_MATCH_BUS && id->bustype != dev->id.bustype) ||
	    (id->flags & INPUT_DEVICE_ID_MATCH_VENDOR && id->vendor != dev->id.vendor) ||
	    (id->flags & INPUT_DEVICE_ID_MATCH_PRODUCT && id->product != dev->id.product) ||
	    (id->flags & INPUT_DEVICE_ID_MATCH_VERSION && id->version != dev->id.version))
		return false;
	return bitmap_subset(id->evbit, dev->evbit, EV_MAX) &&
	       bitmap_subset(id->keybit, dev->keybit, KEY_MAX) &&
	       bitmap_subset(id->relbit, dev->relbit, REL_MAX) &&
	       bitmap_subset(id->absbit, dev->absbit, ABS_MAX) &&
	       bitmap_subset(id->mscbit, dev->mscbit, MSC_MAX) &&
	       bitmap_subset(id->ledbit, dev->ledbit, LED_MAX) &&
	       bitmap_subset(id->sndbit, dev->sndbit, SND_MAX) &&
	       bitmap_subset(id->ffbit, dev->ffbit, FF_MAX) &&
	       bitmap_subset(id->swbit, dev->swbit, SW_MAX) &&
	       bitmap_subset(id->propbit, dev->propbit, INPUT_PROP_MAX);
}

static bool ends_table(const struct input_device_id *id)
{
	return !id->flags && !id->evbit[0] && !id->keybit[0] && !id->driver_info;
}

static void attach(struct input_handler *handler, struct input_dev *dev)
{
	const struct input_device_id *id = handler->id_table;
	int error;

	for (; id && !ends_table(id); id++)
		if (input_match_device_id(dev, id) &&
		    (!handler->match || handler->match(handler, dev)))
			break;
	if (!id || ends_table(id))
		return;
	error = handler->connect(handler, dev, id);
	if (error && error != -ENODEV)
		pr_err("input: failed to attach handler %s to device %s, error: %d\n",
		       handler->name, dev_name(&dev->dev), error);
}

/* Codes of a type that the device does not have count for nothing. */
static void clear_strays(struct input_dev *dev)
{
#define CLEAR(type, bits)							\
	do {									\
		if (!test_bit(type, dev->evbit))				\
			memset(dev->bits, 0, sizeof(dev->bits));		\
	} while (0)
	CLEAR(EV_KEY, keybit);
	CLEAR(EV_REL, relbit);
	CLEAR(EV_ABS, absbit);
	CLEAR(EV_MSC, mscbit);
	CLEAR(EV_LED, ledbit);
	CLEAR(EV_SND, sndbit);
	CLEAR(EV_FF, ffbit);
	CLEAR(EV_SW, swbit);
#undef CLEAR
}

/* Room for a packet, and for what may come in front of it and behind. */
static int make_room(struct input_dev *dev)
{
	unsigned int max = max(dev->hint_events_per_packet, input_packet_size(dev)) + 2;
	struct input_value *values, *old = dev->vals;

	if (dev->hint_events_per_packet < max - 2)
		dev->hint_events_per_packet = max - 2;
	if (dev->max_vals >= max)
		return 0;
	values = kcalloc(max, sizeof(*values), GFP_KERNEL);
	if (!values)
		return -ENOMEM;
	spin_lock_irq(&dev->event_lock);
	dev->max_vals = max;
	dev->vals = values;
	dev->num_vals = 0;
	spin_unlock_irq(&dev->event_lock);
	kfree(old);
	return 0;
}

/* The handlers that each Linux has come before a module's. */
static void add_own_handlers(void)
{
	static atomic_t done = ATOMIC_INIT(0);

	if (atomic_xchg(&done, 1))
		return;
	input_register_handler(&input_evdev_handler);
	input_add_proc_files();
}

int input_register_device(struct input_dev *dev)
{
	struct input_handler *handler;
	int error;

	if (test_bit(EV_ABS, dev->evbit) && !dev->absinfo) {
		dev_err(&dev->dev,
			"Absolute device without dev->absinfo, refusing to register\n");
		return -EINVAL;
	}
	add_own_handlers();
	__set_bit(EV_SYN, dev->evbit);
	__clear_bit(KEY_RESERVED, dev->keybit);
	clear_strays(dev);
	error = make_room(dev);
	if (error)
		return error;
	if (!dev->rep[REP_DELAY] && !dev->rep[REP_PERIOD])
		input_enable_softrepeat(dev, 250, 33);
	input_default_keycodes(dev);
	input_poller_finish(dev);
	error = device_add(&dev->dev);
	if (error)
		return error;
	mutex_lock(&lock);
	list_add_tail(&dev->node, &devices);
	list_for_each_entry(handler, &handlers, node)
		attach(handler, dev);
	mutex_unlock(&lock);
	return 0;
}

void input_unregister_device(struct input_dev *dev)
{
	take_off(dev);
	if (!dev->devres_managed)
		input_put_device(dev);
}

int input_register_handler(struct input_handler *handler)
{
	struct input_dev *dev;

	if (handler != &input_evdev_handler)
		add_own_handlers();
	INIT_LIST_HEAD(&handler->h_list);
	mutex_lock(&lock);
	list_add_tail(&handler->node, &handlers);
	list_for_each_entry(dev, &devices, node)
		attach(handler, dev);
	mutex_unlock(&lock);
	return 0;
}

void input_unregister_handler(struct input_handler *handler)
{
	struct input_handle *handle, *next;

	mutex_lock(&lock);
	list_for_each_entry_safe(handle, next, &handler->h_list, h_node)
		handler->disconnect(handle);
	list_del_init(&handler->node);
	mutex_unlock(&lock);
}

/* Called by connect(), which has the lock. Filters come first. */
int input_register_handle(struct input_handle *handle)
{
	if (handle->handler->filter)
		list_add_rcu(&handle->d_node, &handle->dev->h_list);
	else
		list_add_tail_rcu(&handle->d_node, &handle->dev->h_list);
	list_add_tail_rcu(&handle->h_node, &handle->handler->h_list);
	if (handle->handler->start)
		handle->handler->start(handle);
	return 0;
}

void input_unregister_handle(struct input_handle *handle)
{
	list_del_rcu(&handle->h_node);
	list_del_rcu(&handle->d_node);
	synchronize_rcu();
}

int input_handler_for_each_handle(struct input_handler *handler, void *data,
				  int (*function)(struct input_handle *handle, void *data))
{
	struct input_handle *handle;
	int result = 0;

	rcu_read_lock();
	list_for_each_entry_rcu(handle, &handler->h_list, h_node) {
		result = function(handle, data);
		if (result)
			break;
	}
	rcu_read_unlock();
	return result;
}

void input_for_each_device(void (*function)(struct input_dev *dev, void *data), void *data)
{
	struct input_dev *dev;

	mutex_lock(&lock);
	list_for_each_entry(dev, &devices, node)
		function(dev, data);
	mutex_unlock(&lock);
}

void input_for_each_handler(void (*function)(struct input_handler *handler, void *data),
			    void *data)
{
	struct input_handler *handler;

	mutex_lock(&lock);
	list_for_each_entry(handler, &handlers, node)
		function(handler, data);
	mutex_unlock(&lock);
}

static int open_device(struct input_dev *dev)
{
	int error = dev->open ? dev->open(dev) : 0;

	if (!error)
		input_poller_start(dev);
	return error;
}

int input_open_device(struct input_handle *handle)
{
	struct input_dev *dev = handle->dev;
	int error;

	error = mutex_lock_interruptible(&dev->mutex);
	if (error)
		return error;
	if (dev->going_away) {
		mutex_unlock(&dev->mutex);
		return -ENODEV;
	}
	WRITE_ONCE(handle->open, handle->open + 1);
	if (!handle->handler->passive_observer && !dev->users++)
		error = open_device(dev);
	if (error) {
		dev->users--;
		WRITE_ONCE(handle->open, handle->open - 1);
	}
	mutex_unlock(&dev->mutex);
	if (error)
		synchronize_rcu();
	return error;
}

/* The caller has the device's mutex. */
static void release_grab(struct input_handle *handle)
{
	struct input_dev *dev = handle->dev;

	if (dev->grab != handle)
		return;
	rcu_assign_pointer(dev->grab, NULL);
	synchronize_rcu();
	list_for_each_entry(handle, &dev->h_list, d_node)
		if (handle->open && handle->handler->start)
			handle->handler->start(handle);
}

void input_close_device(struct input_handle *handle)
{
	struct input_dev *dev = handle->dev;

	mutex_lock(&dev->mutex);
	release_grab(handle);
	if (!handle->handler->passive_observer && !--dev->users) {
		input_poller_stop(dev);
		if (dev->close)
			dev->close(dev);
	}
	if (handle->open)		/* 0 already, if the device goes away */
		WRITE_ONCE(handle->open, handle->open - 1);
	mutex_unlock(&dev->mutex);
	synchronize_rcu();
}

int input_grab_device(struct input_handle *handle)
{
	struct input_dev *dev = handle->dev;
	int error = mutex_lock_interruptible(&dev->mutex);

	if (error)
		return error;
	if (dev->grab)
		error = -EBUSY;
	else
		rcu_assign_pointer(dev->grab, handle);
	mutex_unlock(&dev->mutex);
	return error;
}

void input_release_device(struct input_handle *handle)
{
	mutex_lock(&handle->dev->mutex);
	release_grab(handle);
	mutex_unlock(&handle->dev->mutex);
}

int input_flush_device(struct input_handle *handle, struct file *file)
{
	struct input_dev *dev = handle->dev;
	int error = mutex_lock_interruptible(&dev->mutex);

	if (error)
		return error;
	if (dev->flush)
		error = dev->flush(dev, file);
	mutex_unlock(&dev->mutex);
	return error;
}

static void toggle(struct input_dev *dev, unsigned int type, unsigned int code)
{
	dev->event(dev, type, code, false);
}

void input_reset_device(struct input_dev *dev)
{
	unsigned long flags;
	unsigned int code;

	mutex_lock(&dev->mutex);
	spin_lock_irqsave(&dev->event_lock, flags);
	if (dev->event && test_bit(EV_LED, dev->evbit))
		for_each_set_bit(code, dev->led, LED_CNT)
			toggle(dev, EV_LED, code);
	if (dev->event && test_bit(EV_SND, dev->evbit))
		for_each_set_bit(code, dev->snd, SND_CNT)
			toggle(dev, EV_SND, code);
	input_release_keys_locked(dev);
	spin_unlock_irqrestore(&dev->event_lock, flags);
	mutex_unlock(&dev->mutex);
}

void input_alloc_absinfo(struct input_dev *dev)
{
	if (!dev->absinfo)
		dev->absinfo = kcalloc(ABS_CNT, sizeof(*dev->absinfo), GFP_KERNEL);
	if (!dev->absinfo)
		dev_err(dev->dev.parent ? dev->dev.parent : &dev->dev,
			"%s: unable to allocate memory\n", __func__);
}

void input_set_abs_params(struct input_dev *dev, unsigned int axis, int low, int high, int fuzz,
			  int flat)
{
	__set_bit(EV_ABS, dev->evbit);
	__set_bit(axis, dev->absbit);
	input_alloc_absinfo(dev);
	if (!dev->absinfo)
		return;
	dev->absinfo[axis].minimum = low;
	dev->absinfo[axis].maximum = high;
	dev->absinfo[axis].fuzz = fuzz;
	dev->absinfo[axis].flat = flat;
}

void input_set_capability(struct input_dev *dev, unsigned int type, unsigned int code)
{
	static const struct { u16 offset, max; } bits[EV_CNT] = {
#define BITS(type, name, last) \
	[type] = { offsetof(struct input_dev, name), last }
		BITS(EV_KEY, keybit, KEY_MAX), BITS(EV_REL, relbit, REL_MAX),
		BITS(EV_ABS, absbit, ABS_MAX), BITS(EV_MSC, mscbit, MSC_MAX),
		BITS(EV_SW, swbit, SW_MAX), BITS(EV_LED, ledbit, LED_MAX),
		BITS(EV_SND, sndbit, SND_MAX), BITS(EV_FF, ffbit, FF_MAX),
#undef BITS
	};

	if (type >= EV_CNT || (type != EV_PWR && !bits[type].max)) {
		pr_err("input: %s: unknown type %u (code %u)\n", __func__, type, code);
		dump_stack();
		return;
	}
	if (type != EV_PWR && code > bits[type].max) {
		pr_err("input: %s: invalid code %u for type %u\n", __func__, code, type);
		dump_stack();
		return;
	}
	if (type == EV_ABS)
		input_alloc_absinfo(dev);
	if (type != EV_PWR)
		__set_bit(code, (unsigned long *)((char *)dev + bits[type].offset));
	__set_bit(type, dev->evbit);
}
