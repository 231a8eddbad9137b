// SPDX-License-Identifier: MIT
/* What programs ask and tell a device by ioctl(). cf. Linux drivers/input/evdev.c. */
#include <linux/err.h>
#include <linux/input/mt.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "evdev.h"

static long give(void __user *to, size_t room, const void *from, size_t size)
{
	size = min(room, size);
	return copy_to_user(to, from, size) ? -EFAULT : (long)size;
}

/* A text that the driver did not give does not exist. */
static long give_text(void __user *to, size_t room, const char *text)
{
	return text ? give(to, room, text, strlen(text) + 1) : -ENOENT;
}

static long give_bits(void __user *to, size_t room, const unsigned long *bits, unsigned int nr)
{
	return give(to, room, bits, BITS_TO_LONGS(nr) * sizeof(long));
}

struct event_codes {
	size_t offset;			/* in struct input_dev */
	unsigned int nr;
};

/* The codes of a type; false if a type has none. */
static bool find_codes(unsigned int type, struct event_codes *codes)
{
	static const struct event_codes table[EV_CNT] = {
#define CODES(type, bits, nr) [type] = { offsetof(struct input_dev, bits), nr }
		CODES(EV_SYN, evbit, EV_CNT), CODES(EV_KEY, keybit, KEY_CNT),
		CODES(EV_REL, relbit, REL_CNT), CODES(EV_ABS, absbit, ABS_CNT),
		CODES(EV_MSC, mscbit, MSC_CNT), CODES(EV_LED, ledbit, LED_CNT),
		CODES(EV_SND, sndbit, SND_CNT), CODES(EV_FF, ffbit, FF_CNT),
		CODES(EV_SW, swbit, SW_CNT),
#undef CODES
	};

	if (type >= EV_CNT || !table[type].nr)
		return false;
	*codes = table[type];
	return true;
}

/*
 * A state of keys, lights, sounds or switches. The events that the client has not read yet, and
 * that the state has in it already, are taken out of the ring.
 */
static long give_state(struct evdev_client *client, unsigned int type, const unsigned long *state,
		       unsigned int nr, void __user *to, size_t room)
{
	struct input_dev *dev = client->evdev->handle.dev;
	unsigned int last = client->size - 1, end, in_packet = 0;
	unsigned long *copy = bitmap_alloc(nr, GFP_KERNEL);
	long done;

	if (!copy)
		return -ENOMEM;
	spin_lock_irq(&dev->event_lock);
	spin_lock(&client->lock);
	bitmap_copy(copy, state, nr);
	end = client->tail;
	client->packet_head = client->tail;
	for (unsigned int i = client->tail; i != client->head; i = (i + 1) & last) {
		const struct input_event event = client->ring[i];
		bool is_report = event.type == EV_SYN && event.code == SYN_REPORT;

		if (event.type == type || (is_report && !in_packet))
			continue;
		client->ring[end] = event;
		end = (end + 1) & last;
		in_packet = is_report ? 0 : in_packet + 1;
		if (is_report)
			client->packet_head = end;
	}
	client->head = end;
	spin_unlock(&client->lock);
	spin_unlock_irq(&dev->event_lock);
	done = give_bits(to, room, copy, nr);
	bitmap_free(copy);
	return done;
}

static long give_slots(struct input_dev *dev, int __user *to, size_t room)
{
	const struct input_mt *mt = dev->mt;
	size_t n = room / sizeof(int);
	int code;

	if (!n)
		return -EINVAL;
	if (get_user(code, to))
		return -EFAULT;
	if (!mt || !input_is_mt_value(code))
		return -EINVAL;
	for (size_t i = 0; i + 1 < n && i < (size_t)mt->num_slots; i++)
		if (put_user(input_mt_get_value(&mt->slots[i], (unsigned int)code), to + i + 1))
			return -EFAULT;
	return 0;
}

static long give_axis(struct input_dev *dev, unsigned int axis, void __user *to, size_t room)
{
	struct input_absinfo info;

	if (!dev->absinfo)
		return -EINVAL;
	info = dev->absinfo[axis];
	return copy_to_user(to, &info, min(room, sizeof(info))) ? -EFAULT : 0;
}

static long take_axis(struct input_dev *dev, unsigned int axis, const void __user *from,
		      size_t room)
{
	struct input_absinfo info = { 0 };

	if (!dev->absinfo)
		return -EINVAL;
	if (copy_from_user(&info, from, min(room, sizeof(info))))
		return -EFAULT;
	if (axis == ABS_MT_SLOT)	/* the driver's alone */
		return -EINVAL;
	spin_lock_irq(&dev->event_lock);
	dev->absinfo[axis] = info;
	spin_unlock_irq(&dev->event_lock);
	return 0;
}

static long give_key(struct input_dev *dev, void __user *user, bool is_short)
{
	struct input_keymap_entry entry = { .len = sizeof(unsigned int) };
	unsigned int pair[2];
	int error;

	if (is_short ? copy_from_user(pair, user, sizeof(pair)) :
		       copy_from_user(&entry, user, sizeof(entry)))
		return -EFAULT;
	if (is_short)
		memcpy(entry.scancode, pair, sizeof(pair[0]));
	error = input_get_keycode(dev, &entry);
	if (error)
		return error;
	pair[1] = entry.keycode;
	return (is_short ? copy_to_user(user, pair, sizeof(pair)) :
			   copy_to_user(user, &entry, sizeof(entry))) ? -EFAULT : 0;
}

static long take_key(struct input_dev *dev, const void __user *user, bool is_short)
{
	struct input_keymap_entry entry = { .len = sizeof(unsigned int) };
	unsigned int pair[2];

	if (is_short ? copy_from_user(pair, user, sizeof(pair)) :
		       copy_from_user(&entry, user, sizeof(entry)))
		return -EFAULT;
	if (is_short) {
		memcpy(entry.scancode, pair, sizeof(pair[0]));
		entry.keycode = pair[1];
	}
	if (entry.len > sizeof(entry.scancode))
		return -EINVAL;
	return input_set_keycode(dev, &entry);
}

/* Programs tell milliseconds of the delay and of the period. */
static long take_repetition(struct evdev *evdev, const unsigned int __user *from)
{
	unsigned int values[2];

	if (!test_bit(EV_REP, evdev->handle.dev->evbit))
		return -ENOSYS;
	if (copy_from_user(values, from, sizeof(values)))
		return -EFAULT;
	input_inject_event(&evdev->handle, EV_REP, REP_DELAY, (int)values[0]);
	input_inject_event(&evdev->handle, EV_REP, REP_PERIOD, (int)values[1]);
	return 0;
}

static long give_repetition(const struct input_dev *dev, unsigned int __user *to)
{
	if (!test_bit(EV_REP, dev->evbit))
		return -ENOSYS;
	return copy_to_user(to, dev->rep, sizeof(dev->rep)) ? -EFAULT : 0;
}

/* All that waits in the ring has the old clock's times, so it is dropped. */
static long take_clock(struct evdev_client *client, const int __user *from)
{
	enum input_clock_type clock;
	unsigned long flags;
	int number;

	if (get_user(number, from))
		return -EFAULT;
	switch (number) {
	case CLOCK_REALTIME:
		clock = INPUT_CLK_REAL;
		break;
	case CLOCK_MONOTONIC:
		clock = INPUT_CLK_MONO;
		break;
	case CLOCK_BOOTTIME:
		clock = INPUT_CLK_BOOT;
		break;
	default:
		return -EINVAL;
	}
	spin_lock_irqsave(&client->lock, flags);
	if (client->clock != clock) {
		client->clock = clock;
		client->head = client->packet_head = client->tail;
	}
	spin_unlock_irqrestore(&client->lock, flags);
	return 0;
}

static long take_mask(struct evdev_client *client, const void __user *user)
{
	struct event_codes codes;
	struct input_mask mask;
	unsigned long *bits, flags;
	size_t size;

	if (copy_from_user(&mask, user, sizeof(mask)))
		return -EFAULT;
	if (!find_codes(mask.type, &codes))
		return 0;
	bits = bitmap_zalloc(codes.nr, GFP_KERNEL);
	if (!bits)
		return -ENOMEM;
	size = min_t(size_t, mask.codes_size, BITS_TO_LONGS(codes.nr) * sizeof(long));
	if (copy_from_user(bits, u64_to_user_ptr(mask.codes_ptr), size)) {
		bitmap_free(bits);
		return -EFAULT;
	}
	spin_lock_irqsave(&client->lock, flags);
	swap(client->masks[mask.type], bits);
	spin_unlock_irqrestore(&client->lock, flags);
	bitmap_free(bits);
	return 0;
}

static long give_mask(struct evdev_client *client, const void __user *user)
{
	unsigned long all[BITS_TO_LONGS(KEY_CNT)];
	struct event_codes codes = { 0 };
	struct input_mask mask;
	size_t room, size;
	char __user *to;

	if (copy_from_user(&mask, user, sizeof(mask)))
		return -EFAULT;
	to = u64_to_user_ptr(mask.codes_ptr);
	find_codes(mask.type, &codes);
	memset(all, 0xff, sizeof(all));
	room = mask.codes_size;
	size = min(room, BITS_TO_LONGS(codes.nr) * sizeof(long));
	if (copy_to_user(to, codes.nr && client->masks[mask.type] ? client->masks[mask.type] : all,
			 size) || clear_user(to + size, room - size))
		return -EFAULT;
	return 0;
}

static long revoke(struct evdev *evdev, struct evdev_client *client, unsigned long argument)
{
	if (argument)
		return -EINVAL;
	WRITE_ONCE(client->is_revoked, true);
	evdev_ungrab(evdev, client);
	wake_up_interruptible_all(&client->wait);
	return 0;
}

static long grab(struct evdev *evdev, struct evdev_client *client, bool on)
{
	if (on)
		return evdev_grab(evdev, client);
	if (evdev->grab != client)
		return -EINVAL;
	evdev_ungrab(evdev, client);
	return 0;
}

/* The calls whose size the program chooses. */
static long do_sized(struct evdev_client *client, unsigned int command, void __user *user)
{
	struct input_dev *dev = client->evdev->handle.dev;
	unsigned int number = _IOC_NR(command), size = _IOC_SIZE(command);
	bool reads = _IOC_DIR(command) == _IOC_READ;
	struct event_codes codes;

	if (_IOC_TYPE(command) != 'E' || !_IOC_DIR(command))
		return -EINVAL;
	if (!reads)
		return (number & ~(unsigned int)ABS_MAX) == _IOC_NR(EVIOCSABS(0)) ?
		       take_axis(dev, number & ABS_MAX, user, size) : -EINVAL;
	switch (number) {
	case _IOC_NR(EVIOCGNAME(0)):
		return give_text(user, size, dev->name);
	case _IOC_NR(EVIOCGPHYS(0)):
		return give_text(user, size, dev->phys);
	case _IOC_NR(EVIOCGUNIQ(0)):
		return give_text(user, size, dev->uniq);
	case _IOC_NR(EVIOCGPROP(0)):
		return give_bits(user, size, dev->propbit, INPUT_PROP_CNT);
	case _IOC_NR(EVIOCGMTSLOTS(0)):
		return give_slots(dev, user, size);
	case _IOC_NR(EVIOCGKEY(0)):
		return give_state(client, EV_KEY, dev->key, KEY_CNT, user, size);
	case _IOC_NR(EVIOCGLED(0)):
		return give_state(client, EV_LED, dev->led, LED_CNT, user, size);
	case _IOC_NR(EVIOCGSND(0)):
		return give_state(client, EV_SND, dev->snd, SND_CNT, user, size);
	case _IOC_NR(EVIOCGSW(0)):
		return give_state(client, EV_SW, dev->sw, SW_CNT, user, size);
	}
	if ((number & ~(unsigned int)EV_MAX) == _IOC_NR(EVIOCGBIT(0, 0)))
		return find_codes(number & EV_MAX, &codes) ?
		       give_bits(user, size, (unsigned long *)((char *)dev + codes.offset),
				 codes.nr) : -EINVAL;
	if ((number & ~(unsigned int)ABS_MAX) == _IOC_NR(EVIOCGABS(0)))
		return give_axis(dev, number & ABS_MAX, user, size);
	return -EINVAL;
}

static long do_command(struct evdev_client *client, unsigned int command, unsigned long argument)
{
	struct evdev *evdev = client->evdev;
	struct input_dev *dev = evdev->handle.dev;
	void __user *user = (void __user *)argument;

	switch (command) {
	case EVIOCGVERSION:
		return put_user(EV_VERSION, (int __user *)user);
	case EVIOCGID:
		return copy_to_user(user, &dev->id, sizeof(dev->id)) ? -EFAULT : 0;
	case EVIOCGREP:
		return give_repetition(dev, user);
	case EVIOCSREP:
		return take_repetition(evdev, user);
	case EVIOCGKEYCODE:
	case EVIOCGKEYCODE_V2:
		return give_key(dev, user, command == EVIOCGKEYCODE);
	case EVIOCSKEYCODE:
	case EVIOCSKEYCODE_V2:
		return take_key(dev, user, command == EVIOCSKEYCODE);
	case EVIOCGEFFECTS:		/* no device has effects of force */
		return put_user(0, (int __user *)user);
	case EVIOCRMFF:
	case EVIOCSFF:
		return -ENOSYS;
	case EVIOCGRAB:
		return grab(evdev, client, argument);
	case EVIOCREVOKE:
		return revoke(evdev, client, argument);
	case EVIOCGMASK:
		return give_mask(client, user);
	case EVIOCSMASK:
		return take_mask(client, user);
	case EVIOCSCLOCKID:
		return take_clock(client, user);
	default:
		return do_sized(client, command, user);
	}
}

long evdev_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	struct evdev_client *client = file->private_data;
	struct evdev *evdev = client->evdev;
	long result = mutex_lock_interruptible(&evdev->mutex);

	if (result)
		return result;
	result = !evdev->exists || client->is_revoked ? -ENODEV :
		 do_command(client, command, argument);
	mutex_unlock(&evdev->mutex);
	return result;
}
