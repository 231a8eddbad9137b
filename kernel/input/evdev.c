// SPDX-License-Identifier: MIT
/*
 * The handler that shows each device as /dev/input/eventN. Each open file has a ring of events. Of
 * a packet that is not complete nothing is read; a full ring loses all but the newest event, and
 * says so by SYN_DROPPED. cf. Linux drivers/input/evdev.c.
 */
#include <linux/cdev.h>
#include <linux/err.h>
#include <linux/idr.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/major.h>
#include <linux/poll.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "evdev.h"

#define FIRST_MINOR 64
#define FIRST_FREE_MINOR 256
#define NR_FIRST_MINORS 32
#define MAX_DEVICES 1024
#define PACKETS_IN_RING 8
#define MIN_RING 64

static DEFINE_IDA(numbers);

static ktime_t time_of(const struct evdev_client *client, struct input_dev *dev)
{
	return input_get_timestamp(dev)[client->clock];
}

static bool is_masked(const struct evdev_client *client, const struct input_value *value)
{
	const unsigned long *mask = value->type && value->type < EV_CNT ?
				    client->masks[value->type] : NULL;

	return mask && !test_bit(value->code, mask);
}

/* The caller has the client's lock. */
static void put_event(struct evdev_client *client, struct input_event event)
{
	unsigned int last = client->size - 1;

	client->ring[client->head++] = event;
	client->head &= last;
	if (client->head == client->tail) {
		client->tail = (client->head - 2) & last;
		event.type = EV_SYN;
		event.code = SYN_DROPPED;
		event.value = 0;
		client->ring[client->tail] = event;
		client->packet_head = client->tail;
		event = client->ring[(client->head - 1) & last];
	}
	if (event.type == EV_SYN && event.code == SYN_REPORT) {
		client->packet_head = client->head;
		kill_fasync(&client->fasync, SIGIO, POLL_IN);
	}
}

static void give_client(struct evdev_client *client, const struct input_value *values,
			unsigned int n)
{
	struct timespec64 time;
	bool is_complete = false;

	if (READ_ONCE(client->is_revoked))
		return;
	spin_lock(&client->lock);
	time = ktime_to_timespec64(time_of(client, client->evdev->handle.dev));
	for (unsigned int i = 0; i < n; i++) {
		struct input_event event = {
			.type = values[i].type, .code = values[i].code, .value = values[i].value,
		};

		if (is_masked(client, &values[i]))
			continue;
		if (event.type == EV_SYN && event.code == SYN_REPORT) {
			if (client->packet_head == client->head)
				continue;	/* nothing of the packet is left */
			is_complete = true;
		}
		event.input_event_sec = time.tv_sec;
		event.input_event_usec = time.tv_nsec / NSEC_PER_USEC;
		put_event(client, event);
	}
	spin_unlock(&client->lock);
	if (is_complete)
		wake_up_interruptible_all(&client->wait);
}

static unsigned int take_events(struct input_handle *handle, struct input_value *values,
				unsigned int n)
{
	struct evdev *evdev = handle->private;
	struct evdev_client *client;

	rcu_read_lock();
	client = rcu_dereference(evdev->grab);
	if (client)
		give_client(client, values, n);
	else
		list_for_each_entry_rcu(client, &evdev->clients, list)
			give_client(client, values, n);
	rcu_read_unlock();
	return n;
}

void evdev_ungrab(struct evdev *evdev, struct evdev_client *client)
{
	if (evdev->grab != client)
		return;
	rcu_assign_pointer(evdev->grab, NULL);
	synchronize_rcu();
	input_release_device(&evdev->handle);
}

int evdev_grab(struct evdev *evdev, struct evdev_client *client)
{
	int error;

	if (evdev->grab)
		return -EBUSY;
	error = input_grab_device(&evdev->handle);
	if (!error)
		rcu_assign_pointer(evdev->grab, client);
	return error;
}

/* The first client opens the device, and the last one closes it. */
static int open_evdev(struct evdev *evdev)
{
	int error = mutex_lock_interruptible(&evdev->mutex);

	if (error)
		return error;
	if (!evdev->exists)
		error = -ENODEV;
	else if (!evdev->nr_open++) {
		error = input_open_device(&evdev->handle);
		if (error)
			evdev->nr_open--;
	}
	mutex_unlock(&evdev->mutex);
	return error;
}

static void close_evdev(struct evdev *evdev)
{
	mutex_lock(&evdev->mutex);
	if (evdev->exists && !--evdev->nr_open)
		input_close_device(&evdev->handle);
	mutex_unlock(&evdev->mutex);
}

static void attach(struct evdev *evdev, struct evdev_client *client)
{
	spin_lock(&evdev->lock);
	list_add_tail_rcu(&client->list, &evdev->clients);
	spin_unlock(&evdev->lock);
}

static void detach(struct evdev *evdev, struct evdev_client *client)
{
	spin_lock(&evdev->lock);
	list_del_rcu(&client->list);
	spin_unlock(&evdev->lock);
	synchronize_rcu();
}

static void free_client(struct evdev_client *client)
{
	for (unsigned int i = 0; i < EV_CNT; i++)
		bitmap_free(client->masks[i]);
	kvfree(client);
}

static int evdev_open(struct inode *inode, struct file *file)
{
	struct evdev *evdev = container_of(inode->i_cdev, struct evdev, cdev);
	unsigned int wanted = evdev->handle.dev->hint_events_per_packet * PACKETS_IN_RING;
	unsigned int size = roundup_pow_of_two(max(wanted, (unsigned int)MIN_RING));
	struct evdev_client *client = kvzalloc(struct_size(client, ring, size), GFP_KERNEL);
	int error;

	if (!client)
		return -ENOMEM;
	init_waitqueue_head(&client->wait);
	client->size = size;
	spin_lock_init(&client->lock);
	client->evdev = evdev;
	get_device(&evdev->dev);
	attach(evdev, client);
	error = open_evdev(evdev);
	if (error) {
		detach(evdev, client);
		free_client(client);
		put_device(&evdev->dev);
		return error;
	}
	file->private_data = client;
	stream_open(inode, file);
	return 0;
}

static int evdev_release(struct inode *inode, struct file *file)
{
	struct evdev_client *client = file->private_data;
	struct evdev *evdev = client->evdev;

	(void)inode;
	mutex_lock(&evdev->mutex);
	if (evdev->exists && !client->is_revoked)
		input_flush_device(&evdev->handle, file);
	evdev_ungrab(evdev, client);
	mutex_unlock(&evdev->mutex);
	detach(evdev, client);
	free_client(client);
	close_evdev(evdev);
	put_device(&evdev->dev);
	return 0;
}

static bool is_gone(const struct evdev_client *client)
{
	return !READ_ONCE(client->evdev->exists) || READ_ONCE(client->is_revoked);
}

static bool has_packet(struct evdev_client *client)
{
	bool has;

	spin_lock_irq(&client->lock);
	has = client->packet_head != client->tail;
	spin_unlock_irq(&client->lock);
	return has;
}

static bool next_event(struct evdev_client *client, struct input_event *event)
{
	bool has;

	spin_lock_irq(&client->lock);
	has = client->packet_head != client->tail;
	if (has) {
		*event = client->ring[client->tail++];
		client->tail &= client->size - 1;
	}
	spin_unlock_irq(&client->lock);
	return has;
}

static ssize_t evdev_read(struct file *file, char __user *buffer, size_t n, loff_t *pos)
{
	struct evdev_client *client = file->private_data;
	struct input_event event;
	size_t done = 0;
	int error;

	(void)pos;
	if (n && n < sizeof(event))
		return -EINVAL;
	for (;;) {
		if (is_gone(client))
			return -ENODEV;
		if (file->f_flags & O_NONBLOCK && !has_packet(client))
			return -EAGAIN;
		if (!n)
			return 0;
		while (done + sizeof(event) <= n && next_event(client, &event)) {
			if (copy_to_user(buffer + done, &event, sizeof(event)))
				return -EFAULT;
			done += sizeof(event);
		}
		if (done || file->f_flags & O_NONBLOCK)
			return (ssize_t)done;
		error = wait_event_interruptible(client->wait,
						 has_packet(client) || is_gone(client));
		if (error)
			return error;
	}
}

/* Events for the device: its lights, for example. */
static ssize_t evdev_write(struct file *file, const char __user *buffer, size_t n, loff_t *pos)
{
	struct evdev_client *client = file->private_data;
	struct evdev *evdev = client->evdev;
	struct input_event event;
	size_t done = 0;
	int error;

	(void)pos;
	if (n && n < sizeof(event))
		return -EINVAL;
	error = mutex_lock_interruptible(&evdev->mutex);
	if (error)
		return error;
	if (is_gone(client))
		error = -ENODEV;
	for (; !error && done + sizeof(event) <= n; done += sizeof(event)) {
		if (copy_from_user(&event, buffer + done, sizeof(event))) {
			error = -EFAULT;
			break;
		}
		input_inject_event(&evdev->handle, event.type, event.code, event.value);
	}
	mutex_unlock(&evdev->mutex);
	return error ? error : (ssize_t)done;
}

static __poll_t evdev_poll(struct file *file, poll_table *table)
{
	struct evdev_client *client = file->private_data;
	__poll_t mask;

	poll_wait(file, &client->wait, table);
	mask = is_gone(client) ? EPOLLHUP | EPOLLERR : EPOLLOUT | EPOLLWRNORM;
	if (has_packet(client))
		mask |= EPOLLIN | EPOLLRDNORM;
	return mask;
}

static int evdev_fasync(int fd, struct file *file, int on)
{
	struct evdev_client *client = file->private_data;

	return fasync_helper(fd, file, on, &client->fasync);
}

static const struct file_operations evdev_operations = {
	.open = evdev_open, .release = evdev_release, .read = evdev_read, .write = evdev_write,
	.poll = evdev_poll, .unlocked_ioctl = evdev_ioctl, .fasync = evdev_fasync,
};

static void free_evdev(struct device *dev)
{
	struct evdev *evdev = container_of(dev, struct evdev, dev);

	input_put_device(evdev->handle.dev);
	kfree(evdev);
}

static unsigned int minor_of(int number)
{
	return number < NR_FIRST_MINORS ? FIRST_MINOR + (unsigned int)number :
					  FIRST_FREE_MINOR + (unsigned int)number;
}

static struct evdev *make_evdev(struct input_dev *dev, int number)
{
	struct evdev *evdev = kzalloc(sizeof(*evdev), GFP_KERNEL);

	if (!evdev)
		return NULL;
	INIT_LIST_HEAD(&evdev->clients);
	spin_lock_init(&evdev->lock);
	mutex_init(&evdev->mutex);
	evdev->exists = true;
	evdev->number = number;
	device_initialize(&evdev->dev);
	dev_set_name(&evdev->dev, "event%d", number);
	evdev->dev.class = &input_class;
	evdev->dev.parent = &dev->dev;
	evdev->dev.release = free_evdev;
	evdev->dev.devt = MKDEV(INPUT_MAJOR, minor_of(number));
	evdev->handle.dev = input_get_device(dev);
	evdev->handle.name = dev_name(&evdev->dev);
	evdev->handle.handler = &input_evdev_handler;
	evdev->handle.private = evdev;
	return evdev;
}

static int evdev_connect(struct input_handler *handler, struct input_dev *dev,
			 const struct input_device_id *id)
{
	int number = ida_alloc_max(&numbers, MAX_DEVICES - 1, GFP_KERNEL), error;
	struct evdev *evdev;

	(void)handler, (void)id;
	if (number < 0)
		return number;
	evdev = make_evdev(dev, number);
	if (!evdev) {
		ida_free(&numbers, (unsigned int)number);
		return -ENOMEM;
	}
	error = input_register_handle(&evdev->handle);
	cdev_init(&evdev->cdev, &evdev_operations);
	if (!error) {
		error = cdev_device_add(&evdev->cdev, &evdev->dev);
		if (error)
			input_unregister_handle(&evdev->handle);
	}
	if (error) {
		ida_free(&numbers, (unsigned int)number);
		put_device(&evdev->dev);
	}
	return error;
}

/* Clients that are left get errors from now on. */
static void evdev_disconnect(struct input_handle *handle)
{
	struct evdev *evdev = handle->private;
	struct evdev_client *client;

	cdev_device_del(&evdev->cdev, &evdev->dev);
	mutex_lock(&evdev->mutex);
	WRITE_ONCE(evdev->exists, false);
	mutex_unlock(&evdev->mutex);
	spin_lock(&evdev->lock);
	list_for_each_entry(client, &evdev->clients, list) {
		kill_fasync(&client->fasync, SIGIO, POLL_HUP);
		wake_up_interruptible_all(&client->wait);
	}
	spin_unlock(&evdev->lock);
	if (evdev->nr_open) {
		input_flush_device(handle, NULL);
		input_close_device(handle);
	}
	input_unregister_handle(handle);
	ida_free(&numbers, (unsigned int)evdev->number);
	put_device(&evdev->dev);
}

static const struct input_device_id all_devices[] = { { .driver_info = 1 }, { } };

struct input_handler input_evdev_handler = {
	.name = "evdev", .events = take_events, .connect = evdev_connect,
	.disconnect = evdev_disconnect, .id_table = all_devices, .legacy_minors = true,
	.minor = FIRST_MINOR,
};
