/* SPDX-License-Identifier: MIT */
/* Controls of a sound card. A module's own calls alone reach them. */
#ifndef __SOUND_CONTROL_H
#define __SOUND_CONTROL_H

#include <linux/nospec.h>
#include <sound/asound.h>
#include <sound/core.h>

struct snd_kcontrol;

typedef int (snd_kcontrol_info_t)(struct snd_kcontrol *control, struct snd_ctl_elem_info *info);
typedef int (snd_kcontrol_get_t)(struct snd_kcontrol *control, struct snd_ctl_elem_value *value);
typedef int (snd_kcontrol_put_t)(struct snd_kcontrol *control, struct snd_ctl_elem_value *value);

struct snd_kcontrol_new {
	snd_ctl_elem_iface_t iface;
	unsigned int device, subdevice;
	const char *name;
	unsigned int index, access, count;
	snd_kcontrol_info_t *info;
	snd_kcontrol_get_t *get;
	snd_kcontrol_put_t *put;
	union {
		snd_kcontrol_get_t *c;
		const unsigned int *p;
	} tlv;
	unsigned long private_value;
};

struct snd_kcontrol {
	struct list_head list;
	struct snd_ctl_elem_id id;
	unsigned int count;
	snd_kcontrol_info_t *info;
	snd_kcontrol_get_t *get;
	snd_kcontrol_put_t *put;
	unsigned long private_value;
	void *private_data;
	void (*private_free)(struct snd_kcontrol *control);
};

#define snd_kcontrol_chip(control) ((control)->private_data)

static inline struct snd_kcontrol *snd_ctl_new1(const struct snd_kcontrol_new *wanted, void *data)
{
	struct snd_kcontrol *control = kzalloc(sizeof(*control), GFP_KERNEL);

	if (!control)
		return NULL;
	control->id.iface = wanted->iface;
	control->id.index = wanted->index;
	if (wanted->name)
		strscpy((char *)control->id.name, wanted->name, sizeof(control->id.name));
	control->count = wanted->count ? wanted->count : 1;
	control->info = wanted->info;
	control->get = wanted->get;
	control->put = wanted->put;
	control->private_value = wanted->private_value;
	control->private_data = data;
	return control;
}

static inline void usermm_snd_ctl_free(void *data)
{
	struct snd_kcontrol *control = data;

	if (control->private_free)
		control->private_free(control);
	kfree(control);
}

static inline void snd_ctl_free_one(struct snd_kcontrol *control)
{
	if (control)
		usermm_snd_ctl_free(control);
}

/* The control is the card's, also after an error. -EBUSY for a name that is taken; -EINVAL. */
static inline int snd_ctl_add(struct snd_card *card, struct snd_kcontrol *control)
{
	struct snd_kcontrol *other;
	int error = -EINVAL;

	if (!control)
		return -EINVAL;
	if (card && control->info)
		error = 0;
	if (!error)
		list_for_each_entry(other, &card->controls, list)
			if (other->id.iface == control->id.iface &&
			    other->id.index == control->id.index &&
			    !strcmp((char *)other->id.name, (char *)control->id.name))
				error = -EBUSY;
	if (!error)
		error = usermm_snd_device_new(card, SNDRV_DEV_CONTROL, control, NULL,
					      usermm_snd_ctl_free);
	if (error)
		usermm_snd_ctl_free(control);
	else
		list_add_tail(&control->list, &card->controls);
	return error;
}

#define snd_ctl_notify(card, mask, id) ((void)(card), (void)(mask), (void)(id))

static inline int snd_ctl_boolean_mono_info(struct snd_kcontrol *control,
					    struct snd_ctl_elem_info *info)
{
	(void)control;
	info->type = SNDRV_CTL_ELEM_TYPE_BOOLEAN;
	info->count = 1;
	info->value.integer.min = 0;
	info->value.integer.max = 1;
	return 0;
}

static inline int snd_ctl_boolean_stereo_info(struct snd_kcontrol *control,
					      struct snd_ctl_elem_info *info)
{
	snd_ctl_boolean_mono_info(control, info);
	info->count = 2;
	return 0;
}

#endif
