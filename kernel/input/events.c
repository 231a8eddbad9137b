// SPDX-License-Identifier: MIT
/*
 * Events: which of them a device has, which change something, and who gets them. They are kept
 * until a packet is complete. cf. Linux drivers/input/input.c.
 */
#include <linux/input.h>
#include <linux/input/mt.h>
#include <linux/kernel.h>
#include <linux/rculist.h>
#include <linux/timekeeping.h>

#include "base/linux_version.h"
#include "input_core.h"

/* What becomes of an event. */
enum {
	IGNORED = 0,
	TO_HANDLERS = 1 << 0,
	TO_DEVICE = 1 << 1,
	WITH_SLOT = 1 << 2,		/* ABS_MT_SLOT comes first */
	ENDS_PACKET = 1 << 3,
	TO_ALL = TO_HANDLERS | TO_DEVICE,
};

static bool knows(const unsigned long *bits, unsigned int max, unsigned int code)
{
	return code <= max && test_bit(code, bits);
}

/* For things with two states (keys, switches, LEDs): notes the new one. Is it another? */
static bool changes(unsigned long *bits, unsigned int code, int value)
{
	if (!!test_bit(code, bits) == !!value)
		return false;
	__change_bit(code, bits);
	return true;
}

/* Small movements are noise: the nearer the old value is, the more it counts. */
static int without_fuzz(int value, int old, int fuzz)
{
	if (fuzz) {
		if (value > old - fuzz / 2 && value < old + fuzz / 2)
			return old;
		if (value > old - fuzz && value < old + fuzz)
			return (old * 3 + value) / 4;
		if (value > old - fuzz * 2 && value < old + fuzz * 2)
			return (old + value) / 2;
	}
	return value;
}

static unsigned int take_axis(struct input_dev *dev, unsigned int code, int *value)
{
	struct input_mt *mt = dev->mt;
	bool is_new_slot = false;
	int *old = NULL;

	if (code == ABS_MT_SLOT) {
		if (mt && *value >= 0 && *value < mt->num_slots)
			mt->slot = *value;
		return IGNORED;
	}
	if (!input_is_mt_value((int)code)) {
		old = dev->absinfo ? &dev->absinfo[code].value : NULL;
	} else if (mt) {
		old = &mt->slots[mt->slot].abs[code - ABS_MT_FIRST];
		is_new_slot = mt->slot != dev->absinfo[ABS_MT_SLOT].value;
	}
	if (old) {
		*value = without_fuzz(*value, *old, dev->absinfo[code].fuzz);
		if (*value == *old)
			return IGNORED;
		*old = *value;
	}
	if (!is_new_slot)
		return TO_HANDLERS;
	dev->absinfo[ABS_MT_SLOT].value = mt->slot;
	return TO_HANDLERS | WITH_SLOT;
}

static unsigned int take_synchronisation(unsigned int code)
{
	return code == SYN_CONFIG ? TO_ALL : code == SYN_REPORT ? TO_HANDLERS | ENDS_PACKET :
	       code == SYN_MT_REPORT ? TO_HANDLERS : IGNORED;
}

/* Remembers the new state, if there is one. */
static unsigned int take(struct input_dev *dev, unsigned int type, unsigned int code, int *value)
{
	switch (type) {
	case EV_SYN:
		return take_synchronisation(code);
	case EV_KEY:		/* 2: a repetition */
		return knows(dev->keybit, KEY_MAX, code) &&
		       (*value == 2 || changes(dev->key, code, *value)) ? TO_HANDLERS : IGNORED;
	case EV_SW:
		return knows(dev->swbit, SW_MAX, code) && changes(dev->sw, code, *value) ?
		       TO_HANDLERS : IGNORED;
	case EV_LED:
		return knows(dev->ledbit, LED_MAX, code) && changes(dev->led, code, *value) ?
		       TO_ALL : IGNORED;
	case EV_SND:
		if (!knows(dev->sndbit, SND_MAX, code))
			return IGNORED;
		changes(dev->snd, code, *value);
		return TO_ALL;
	case EV_REL:
		return knows(dev->relbit, REL_MAX, code) && *value ? TO_HANDLERS : IGNORED;
	case EV_ABS:
		return knows(dev->absbit, ABS_MAX, code) ? take_axis(dev, code, value) : IGNORED;
	case EV_MSC:
		return knows(dev->mscbit, MSC_MAX, code) ? TO_ALL : IGNORED;
	case EV_REP:
		if (code > REP_MAX || *value < 0 || dev->rep[code] == *value)
			return IGNORED;
		dev->rep[code] = *value;
		return TO_ALL;
	case EV_FF:
		return *value >= 0 ? TO_ALL : IGNORED;
	default:
		return type == EV_PWR ? TO_ALL : IGNORED;
	}
}

/* Takes out what the handler's filter() keeps. Returns how many stay. */
static unsigned int filter(struct input_handle *handle, struct input_value *values, unsigned int n)
{
	unsigned int stay = 0;

	for (unsigned int i = 0; i < n; i++)
		if (!handle->handler->filter(handle, values[i].type, values[i].code,
					     values[i].value))
			values[stay++] = values[i];
	return stay;
}

/* How many of the values are left for the next handlers. */
static unsigned int give(struct input_handle *handle, struct input_value *values, unsigned int n)
{
	struct input_handler *handler = handle->handler;

	if (handler->filter)
		return filter(handle, values, n);
	if (handler->events) {
		unsigned int left = handler->events(handle, values, n);

		/* Before, events() returned nothing. */
		return linux_version >= LINUX_VERSION_OF(6, 11) ? left : n;
	}
	for (unsigned int i = 0; handler->event && i < n; i++)
		handler->event(handle, values[i].type, values[i].code, values[i].value);
	return n;
}

static void repeat_later(struct input_dev *dev, unsigned int code)
{
	if (!test_bit(EV_REP, dev->evbit) || !dev->rep[REP_PERIOD] || !dev->rep[REP_DELAY] ||
	    !dev->timer.function)
		return;
	dev->repeat_key = code;
	mod_timer(&dev->timer, jiffies + msecs_to_jiffies((unsigned int)dev->rep[REP_DELAY]));
}

static void give_to_all(struct input_dev *dev, struct input_value *values, unsigned int n)
{
	struct input_handle *handle;

	rcu_read_lock();
	handle = rcu_dereference(dev->grab);
	if (handle) {
		n = give(handle, values, n);
	} else {
		list_for_each_entry_rcu(handle, &dev->h_list, d_node) {
			if (READ_ONCE(handle->open))
				n = give(handle, values, n);
			if (!n)
				break;
		}
	}
	rcu_read_unlock();
	if (!test_bit(EV_REP, dev->evbit) || !test_bit(EV_KEY, dev->evbit))
		return;
	for (unsigned int i = 0; i < n; i++) {
		if (values[i].type != EV_KEY || values[i].value == 2)
			continue;
		if (values[i].value)
			repeat_later(dev, values[i].code);
		else
			timer_delete(&dev->timer);
	}
}

static void keep(struct input_dev *dev, unsigned int type, unsigned int code, int value)
{
	dev->vals[dev->num_vals++] = (struct input_value){ (__u16)type, (__u16)code, value };
}

void input_event_locked(struct input_dev *dev, unsigned int type, unsigned int code, int value)
{
	unsigned int what = type <= EV_MAX && test_bit(type, dev->evbit) ?
			    take(dev, type, code, &value) : IGNORED;

	if (what & TO_DEVICE && dev->event)
		dev->event(dev, type, code, value);
	if (what & TO_HANDLERS) {
		if (what & WITH_SLOT)
			keep(dev, EV_ABS, ABS_MT_SLOT, dev->mt->slot);
		keep(dev, type, code, value);
	}
	if (what & ENDS_PACKET) {
		if (dev->num_vals >= 2)		/* an empty packet is none */
			give_to_all(dev, dev->vals, dev->num_vals);
		dev->num_vals = 0;
		dev->timestamp[INPUT_CLK_MONO] = 0;
	} else if (dev->num_vals >= dev->max_vals - 2) {
		keep(dev, EV_SYN, SYN_REPORT, 1);
		give_to_all(dev, dev->vals, dev->num_vals);
		dev->num_vals = 0;
	}
}

void input_event(struct input_dev *dev, unsigned int type, unsigned int code, int value)
{
	unsigned long flags;

	spin_lock_irqsave(&dev->event_lock, flags);
	input_event_locked(dev, type, code, value);
	spin_unlock_irqrestore(&dev->event_lock, flags);
}

void input_inject_event(struct input_handle *handle, unsigned int type, unsigned int code,
			int value)
{
	struct input_dev *dev = handle->dev;
	const struct input_handle *grab;
	unsigned long flags;

	spin_lock_irqsave(&dev->event_lock, flags);
	rcu_read_lock();
	grab = rcu_dereference(dev->grab);
	if (!grab || grab == handle)
		input_event_locked(dev, type, code, value);
	rcu_read_unlock();
	spin_unlock_irqrestore(&dev->event_lock, flags);
}

void input_release_keys_locked(struct input_dev *dev)
{
	bool any = false;
	unsigned int code;

	if (!test_bit(EV_KEY, dev->evbit))
		return;
	for_each_set_bit(code, dev->key, KEY_CNT) {
		input_event_locked(dev, EV_KEY, code, 0);
		any = true;
	}
	if (any)
		input_event_locked(dev, EV_SYN, SYN_REPORT, 1);
}

static void repeat(struct timer_list *timer)
{
	struct input_dev *dev = container_of(timer, struct input_dev, timer);
	unsigned long flags;

	spin_lock_irqsave(&dev->event_lock, flags);
	if (!dev->going_away && test_bit(dev->repeat_key, dev->key) &&
	    knows(dev->keybit, KEY_MAX, dev->repeat_key)) {
		input_event_locked(dev, EV_KEY, dev->repeat_key, 2);
		input_event_locked(dev, EV_SYN, SYN_REPORT, 1);
		if (dev->rep[REP_PERIOD])
			mod_timer(&dev->timer, jiffies +
				  msecs_to_jiffies((unsigned int)dev->rep[REP_PERIOD]));
	}
	spin_unlock_irqrestore(&dev->event_lock, flags);
}

void input_enable_softrepeat(struct input_dev *dev, int delay, int period)
{
	dev->timer.function = repeat;
	dev->rep[REP_DELAY] = delay;
	dev->rep[REP_PERIOD] = period;
}

unsigned int input_packet_size(struct input_dev *dev)
{
	unsigned int nr_slots = 0, n;

	if (dev->mt)
		nr_slots = (unsigned int)dev->mt->num_slots;
	else if (test_bit(ABS_MT_TRACKING_ID, dev->absbit))
		nr_slots = (unsigned int)clamp(dev->absinfo[ABS_MT_TRACKING_ID].maximum -
					       dev->absinfo[ABS_MT_TRACKING_ID].minimum + 1, 2, 32);
	else if (test_bit(ABS_MT_POSITION_X, dev->absbit))
		nr_slots = 2;
	n = nr_slots + 1;		/* SYN_MT_REPORTs and SYN_REPORT */
	if (test_bit(EV_ABS, dev->evbit)) {
		unsigned int axis;

		for_each_set_bit(axis, dev->absbit, ABS_CNT)
			n += input_is_mt_axis((int)axis) ? nr_slots : 1;
	}
	if (test_bit(EV_REL, dev->evbit))
		n += (unsigned int)bitmap_weight(dev->relbit, REL_CNT);
	return n + 7;			/* room for keys and such */
}

void input_set_timestamp(struct input_dev *dev, ktime_t timestamp)
{
	dev->timestamp[INPUT_CLK_MONO] = timestamp;
	dev->timestamp[INPUT_CLK_REAL] = ktime_mono_to_real(timestamp);
	dev->timestamp[INPUT_CLK_BOOT] = ktime_mono_to_any(timestamp, TK_OFFS_BOOT);
}

ktime_t *input_get_timestamp(struct input_dev *dev)
{
	if (!dev->timestamp[INPUT_CLK_MONO])
		input_set_timestamp(dev, ktime_get());
	return dev->timestamp;
}
