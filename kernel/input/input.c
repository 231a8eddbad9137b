// SPDX-License-Identifier: MIT
/*
 * Input devices, handlers, and the events that go from one to the other: see linux/input.h.
 * cf. Linux drivers/input/input.c.
 */
#include <linux/err.h>
#include <linux/input.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/slab.h>

static DEFINE_MUTEX(lock);		/* connect() and disconnect() run under it, as in Linux */
static LIST_HEAD(devices);		/* Sync: lock */
static LIST_HEAD(handlers);		/* Sync: lock */
static atomic_t last_number = ATOMIC_INIT(-1);

static void free_device(struct device *dev)
{
	struct input_dev *input = to_input_dev(dev);

	kfree(input->absinfo);
	kfree(input->usermm_mt);
	kfree(input);
}

struct input_dev *input_allocate_device(void)
{
	struct input_dev *dev = kzalloc(sizeof(*dev), GFP_KERNEL);

	if (!dev)
		return NULL;
	dev->dev.release = free_device;
	device_initialize(&dev->dev);
	mutex_init(&dev->mutex);
	spin_lock_init(&dev->event_lock);
	INIT_LIST_HEAD(&dev->h_list);
	INIT_LIST_HEAD(&dev->node);
	dev_set_name(&dev->dev, "input%d", atomic_inc_return(&last_number));
	return dev;
}

void input_free_device(struct input_dev *dev)
{
	if (dev && !dev->usermm_is_managed)
		input_put_device(dev);
}

static void take_off(struct input_dev *dev)
{
	struct input_handle *handle, *next;

	mutex_lock(&lock);
	if (!list_empty(&dev->node)) {
		list_for_each_entry_safe(handle, next, &dev->h_list, d_node)
			handle->handler->disconnect(handle);
		WARN_ON(!list_empty(&dev->h_list));
		list_del_init(&dev->node);
		device_del(&dev->dev);
	}
	mutex_unlock(&lock);
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
	dev->usermm_is_managed = true;
	return devm_add_action_or_reset(parent, free_managed, dev) ? NULL : dev;
}

static bool has_all(const unsigned long *wanted, const unsigned long *there, unsigned int nr)
{
	return bitmap_subset(wanted, there, nr);
}

static bool matches(const struct input_device_id *id, const struct input_dev *dev)
{
	if ((id->flags & INPUT_DEVICE_ID_MATCH_BUS && id->bustype != dev->id.bustype) ||
	    (id->flags & INPUT_DEVICE_ID_MATCH_VENDOR && id->vendor != dev->id.vendor) ||
	    (id->flags & INPUT_DEVICE_ID_MATCH_PRODUCT && id->product != dev->id.product) ||
	    (id->flags & INPUT_DEVICE_ID_MATCH_VERSION && id->version != dev->id.version))
		return false;
	return has_all(id->evbit, dev->evbit, EV_MAX) &&
	       has_all(id->keybit, dev->keybit, KEY_MAX) &&
	       has_all(id->relbit, dev->relbit, REL_MAX) &&
	       has_all(id->absbit, dev->absbit, ABS_MAX);
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
		if (matches(id, dev) && (!handler->match || handler->match(handler, dev)))
			break;
	if (!id || ends_table(id))
		return;
	error = handler->connect(handler, dev, id);
	if (error && error != -ENODEV)
		pr_err("input: failed to attach handler %s to device %s, error: %d\n",
		       handler->name, dev_name(&dev->dev), error);
}

int input_register_device(struct input_dev *dev)
{
	struct input_handler *handler;
	int error;

	if (test_bit(EV_ABS, dev->evbit) && !dev->absinfo)
		dev->absinfo = kcalloc(ABS_CNT, sizeof(*dev->absinfo), GFP_KERNEL);
	__set_bit(EV_SYN, dev->evbit);
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
	if (!dev->usermm_is_managed)
		input_put_device(dev);
}

int input_register_handler(struct input_handler *handler)
{
	struct input_dev *dev;

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

int input_open_device(struct input_handle *handle)
{
	struct input_dev *dev = handle->dev;
	int error = 0;

	mutex_lock(&dev->mutex);
	handle->open++;
	if (!dev->users++ && dev->open)
		error = dev->open(dev);
	if (error) {
		dev->users--;
		handle->open--;
	}
	mutex_unlock(&dev->mutex);
	return error;
}

void input_close_device(struct input_handle *handle)
{
	struct input_dev *dev = handle->dev;

	mutex_lock(&dev->mutex);
	if (!--dev->users && dev->close)
		dev->close(dev);
	handle->open--;
	mutex_unlock(&dev->mutex);
	synchronize_rcu();
}

void input_set_abs_params(struct input_dev *dev, unsigned int axis, int low, int high, int fuzz,
			  int flat)
{
	if (!dev->absinfo)
		dev->absinfo = kcalloc(ABS_CNT, sizeof(*dev->absinfo), GFP_KERNEL);
	if (!dev->absinfo)
		return;
	dev->absinfo[axis].minimum = low;
	dev->absinfo[axis].maximum = high;
	dev->absinfo[axis].fuzz = fuzz;
	dev->absinfo[axis].flat = flat;
	__set_bit(EV_ABS, dev->evbit);
	__set_bit(axis, dev->absbit);
}

/*
 * For things with two states (keys, switches, LEDs): does the event change the state? Notes the new
 * one.
 */
static bool changes(unsigned long *bits, const unsigned long *known, unsigned int max,
		    unsigned int code, int value)
{
	if (code > max || !test_bit(code, known) || !!test_bit(code, bits) == !!value)
		return false;
	__change_bit(code, bits);
	return true;
}

/* Does the device have such an event, and is it new? Remembers the new state. */
static bool takes(struct input_dev *dev, unsigned int type, unsigned int code, int value)
{
	if (type > EV_MAX || !test_bit(type, dev->evbit))
		return false;
	switch (type) {
	case EV_SYN:
		return true;
	case EV_KEY:
		if (value == 2)		/* a repetition */
			return code <= KEY_MAX && test_bit(code, dev->key);
		return changes(dev->key, dev->keybit, KEY_MAX, code, value);
	case EV_SW:
		return changes(dev->sw, dev->swbit, SW_MAX, code, value);
	case EV_LED:
		return changes(dev->led, dev->ledbit, LED_MAX, code, value);
	case EV_REL:
		return code <= REL_MAX && test_bit(code, dev->relbit) && value;
	case EV_ABS:
		if (code > ABS_MAX || !test_bit(code, dev->absbit))
			return false;
		if (dev->absinfo && dev->absinfo[code].value == value)
			return false;
		if (dev->absinfo)
			dev->absinfo[code].value = value;
		return true;
	default:
		return true;
	}
}

static void pass_on(struct input_dev *dev, unsigned int type, unsigned int code, int value)
{
	const struct input_value event = { (__u16)type, (__u16)code, value };
	struct input_handle *handle;

	rcu_read_lock();
	list_for_each_entry_rcu(handle, &dev->h_list, d_node) {
		struct input_handler *handler = handle->handler;

		if (!handle->open)
			continue;
		if (handler->filter) {
			if (handler->filter(handle, type, code, value))
				break;
		} else if (handler->events) {
			handler->events(handle, &event, 1);
		} else if (handler->event) {
			handler->event(handle, type, code, value);
		}
	}
	rcu_read_unlock();
}

static void handle_event(struct input_dev *dev, unsigned int type, unsigned int code, int value)
{
	bool is_for_device = type == EV_LED || type == EV_SND || type == EV_REP || type == EV_FF;
	unsigned long flags;

	spin_lock_irqsave(&dev->event_lock, flags);
	if (takes(dev, type, code, value)) {
		if (is_for_device && dev->event)
			dev->event(dev, type, code, value);
		pass_on(dev, type, code, value);
	}
	spin_unlock_irqrestore(&dev->event_lock, flags);
}

void input_event(struct input_dev *dev, unsigned int type, unsigned int code, int value)
{
	handle_event(dev, type, code, value);
}

void input_inject_event(struct input_handle *handle, unsigned int type, unsigned int code,
			int value)
{
	handle_event(handle->dev, type, code, value);
}
