/* SPDX-License-Identifier: MIT */
/* Sound cards of a module's. Nobody plays: streams are registered and never opened. */
#ifndef __SOUND_CORE_H
#define __SOUND_CORE_H

#include <linux/dev_printk.h>
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/ioport.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/pm.h>
#include <linux/printk.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/socket.h>
#include <linux/uuid.h>
#include <linux/wait.h>
#include <sound/asound.h>

#define SNDRV_CARDS 32
#define SNDRV_DEFAULT_IDX1 (-1)
#define SNDRV_DEFAULT_STR1 NULL
#define SNDRV_DEFAULT_ENABLE1 1
#define SNDRV_DEFAULT_IDX { [0 ... (SNDRV_CARDS - 1)] = -1 }
#define SNDRV_DEFAULT_STR { [0 ... (SNDRV_CARDS - 1)] = NULL }
#define SNDRV_DEFAULT_ENABLE { 1, [1 ... (SNDRV_CARDS - 1)] = 0 }
#define SNDRV_DEFAULT_ENABLE_PNP { [0 ... (SNDRV_CARDS - 1)] = 1 }

enum snd_device_type {
	SNDRV_DEV_LOWLEVEL, SNDRV_DEV_INFO, SNDRV_DEV_BUS, SNDRV_DEV_CODEC, SNDRV_DEV_PCM,
	SNDRV_DEV_COMPRESS, SNDRV_DEV_RAWMIDI, SNDRV_DEV_TIMER, SNDRV_DEV_SEQUENCER,
	SNDRV_DEV_HWDEP, SNDRV_DEV_JACK, SNDRV_DEV_CONTROL,
};

struct snd_card;
struct snd_device;

struct snd_device_ops {
	int (*dev_free)(struct snd_device *device);
	int (*dev_register)(struct snd_device *device);
	int (*dev_disconnect)(struct snd_device *device);
};

struct snd_device {
	struct list_head list;
	struct snd_card *card;
	enum snd_device_type type;
	void *device_data;
	const struct snd_device_ops *ops;
	void (*usermm_free)(void *data);
};

struct snd_card {
	int number;
	char id[16], driver[16], shortname[32], longname[80], mixername[80], components[128];
	struct module *module;
	void *private_data;
	void (*private_free)(struct snd_card *card);
	struct list_head devices, controls;
	struct rw_semaphore controls_rwsem;
	struct device *dev;
	bool usermm_registered;
};

/* With n bytes at ->private_data. 0 or -ENOMEM. */
static inline int snd_card_new(struct device *parent, int number, const char *id,
			       struct module *module, int n, struct snd_card **result)
{
	struct snd_card *card = kzalloc(ALIGN(sizeof(*card), 16) + (size_t)n, GFP_KERNEL);

	*result = card;
	if (!card)
		return -ENOMEM;
	if (n)
		card->private_data = (char *)card + ALIGN(sizeof(*card), 16);
	card->number = number < 0 ? 0 : number;
	if (id)
		strscpy(card->id, id, sizeof(card->id));
	card->module = module;
	card->dev = parent;
	INIT_LIST_HEAD(&card->devices);
	INIT_LIST_HEAD(&card->controls);
	init_rwsem(&card->controls_rwsem);
	return 0;
}

static inline int usermm_snd_device_new(struct snd_card *card, enum snd_device_type type,
					void *data, const struct snd_device_ops *operations,
					void (*free)(void *data))
{
	struct snd_device *device = kzalloc(sizeof(*device), GFP_KERNEL);

	if (!device)
		return -ENOMEM;
	device->card = card;
	device->type = type;
	device->device_data = data;
	device->ops = operations;
	device->usermm_free = free;
	list_add(&device->list, &card->devices);
	return 0;
}

static inline int snd_device_new(struct snd_card *card, enum snd_device_type type, void *data,
				 const struct snd_device_ops *operations)
{
	return card && data && operations ?
	       usermm_snd_device_new(card, type, data, operations, NULL) : -ENXIO;
}

/*
 * Calls dev_register() of the parts, in the order in which they were made. 0, or the first error.
 */
static inline int snd_card_register(struct snd_card *card)
{
	struct snd_device *device;
	int error = 0;

	list_for_each_entry_reverse(device, &card->devices, list) {
		if (!card->usermm_registered && device->ops && device->ops->dev_register)
			error = device->ops->dev_register(device);
		if (error)
			return error;
	}
	card->usermm_registered = true;
	return 0;
}

static inline int snd_card_disconnect(struct snd_card *card)
{
	struct snd_device *device;

	if (!card)
		return -EINVAL;
	list_for_each_entry(device, &card->devices, list)
		if (card->usermm_registered && device->ops && device->ops->dev_disconnect)
			device->ops->dev_disconnect(device);
	card->usermm_registered = false;
	return 0;
}

/* Frees the parts, the last one made first, and then the card. */
static inline int usermm_snd_card_free(struct snd_card *card)
{
	struct snd_device *device, *next;

	snd_card_disconnect(card);
	list_for_each_entry_safe(device, next, &card->devices, list) {
		list_del(&device->list);
		if (device->ops && device->ops->dev_free)
			device->ops->dev_free(device);
		if (device->usermm_free)
			device->usermm_free(device->device_data);
		kfree(device);
	}
	if (card->private_free)
		card->private_free(card);
	kfree(card);
	return 0;
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
#define snd_card_free(card) ((void)usermm_snd_card_free(card))
#else
#define snd_card_free(card) usermm_snd_card_free(card)
#endif
#define snd_card_free_when_closed(card) snd_card_free(card)

static inline void usermm_snd_card_release(void *card)
{
	usermm_snd_card_free(card);
}

static inline int snd_devm_card_new(struct device *parent, int number, const char *id,
				    struct module *module, size_t n, struct snd_card **result)
{
	int error = snd_card_new(parent, number, id, module, (int)n, result);

	return error ? error : devm_add_action_or_reset(parent, usermm_snd_card_release, *result);
}

#define snd_power_change_state(card, state) ((void)(card), (void)(state))
#define snd_component_add(card, text) ((void)(card), (void)(text), 0)
#define snd_printk(fmt, ...) printk(fmt, ##__VA_ARGS__)
#define snd_printd(fmt, ...) no_printk(fmt, ##__VA_ARGS__)
#define snd_printdd(fmt, ...) no_printk(fmt, ##__VA_ARGS__)

#endif
