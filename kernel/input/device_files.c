// SPDX-License-Identifier: MIT
/* What an input device shows in /sys/class/input/inputN, and all of them in /proc/bus/input. */
#include <linux/device.h>
#include <linux/input.h>
#include <linux/kernel.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>

#include "files/files.h"
#include "input_core.h"

#define BITS_TEXT 256		/* of the longest set: twelve words of keys */

/* Words from the last one that is not 0 on; an empty set is "0". */
static char *bits_text(const unsigned long *bits, unsigned int nr, char text[BITS_TEXT])
{
	int length = 0;

	for (unsigned int i = BITS_TO_LONGS(nr); i-- > 0;)
		if (length || bits[i] || !i)
			length += scnprintf(text + length, (size_t)(BITS_TEXT - length),
					    length ? " %lx" : "%lx", bits[i]);
	return text;
}

#define SHOW_TEXT(field)							\
static ssize_t field##_show(struct device *dev, struct device_attribute *attr, char *buffer)	\
{										\
	const char *text = to_input_dev(dev)->field;				\
										\
	(void)attr;								\
	return sysfs_emit(buffer, "%s\n", text ? text : "");			\
}										\
static DEVICE_ATTR_RO(field)
SHOW_TEXT(name);
SHOW_TEXT(phys);
SHOW_TEXT(uniq);

#define SHOW_BITS(name, field, nr)						\
static ssize_t name##_show(struct device *dev, struct device_attribute *attr, char *buffer)	\
{										\
	char text[BITS_TEXT];							\
										\
	(void)attr;								\
	return sysfs_emit(buffer, "%s\n", bits_text(to_input_dev(dev)->field, nr, text)); \
}										\
static DEVICE_ATTR_RO(name)
SHOW_BITS(properties, propbit, INPUT_PROP_CNT);
SHOW_BITS(ev, evbit, EV_CNT);
SHOW_BITS(key, keybit, KEY_CNT);
SHOW_BITS(rel, relbit, REL_CNT);
SHOW_BITS(abs, absbit, ABS_CNT);
SHOW_BITS(msc, mscbit, MSC_CNT);
SHOW_BITS(led, ledbit, LED_CNT);
SHOW_BITS(snd, sndbit, SND_CNT);
SHOW_BITS(ff, ffbit, FF_CNT);
SHOW_BITS(sw, swbit, SW_CNT);

#define SHOW_ID(field)								\
static ssize_t field##_show(struct device *dev, struct device_attribute *attr, char *buffer)	\
{										\
	(void)attr;								\
	return sysfs_emit(buffer, "%04x\n", to_input_dev(dev)->id.field);	\
}										\
static DEVICE_ATTR_RO(field)
SHOW_ID(bustype);
SHOW_ID(vendor);
SHOW_ID(product);
SHOW_ID(version);

static struct attribute *attributes[] = {
	&dev_attr_name.attr, &dev_attr_phys.attr, &dev_attr_uniq.attr, &dev_attr_properties.attr,
	NULL,
};
static struct attribute *capabilities[] = {
	&dev_attr_ev.attr, &dev_attr_key.attr, &dev_attr_rel.attr, &dev_attr_abs.attr,
	&dev_attr_msc.attr, &dev_attr_led.attr, &dev_attr_snd.attr, &dev_attr_ff.attr,
	&dev_attr_sw.attr, NULL,
};
static struct attribute *ids[] = {
	&dev_attr_bustype.attr, &dev_attr_vendor.attr, &dev_attr_product.attr,
	&dev_attr_version.attr, NULL,
};
static const struct attribute_group attribute_group = { .attrs = attributes };
static const struct attribute_group capability_group = {
	.name = "capabilities", .attrs = capabilities,
};
static const struct attribute_group id_group = { .name = "id", .attrs = ids };

const struct attribute_group *input_device_groups[] = {
	&attribute_group, &capability_group, &id_group, &input_poller_group, NULL,
};

static void show_bits(struct seq_file *seq, const struct input_dev *dev, const char *name,
		      unsigned int type, const unsigned long *bits, unsigned int nr)
{
	char text[BITS_TEXT];

	if (test_bit(type, dev->evbit))
		seq_printf(seq, "B: %s=%s\n", name, bits_text(bits, nr, text));
}

static void show_device(struct input_dev *dev, void *data)
{
	const struct file_node *folder = sysfs_folder(&dev->dev.kobj);
	const struct input_handle *handle;
	struct seq_file *seq = data;
	char text[BITS_TEXT], path[PATH_MAX];

	seq_printf(seq, "I: Bus=%04x Vendor=%04x Product=%04x Version=%04x\n", dev->id.bustype,
		   dev->id.vendor, dev->id.product, dev->id.version);
	seq_printf(seq, "N: Name=\"%s\"\n", dev->name ? dev->name : "");
	seq_printf(seq, "P: Phys=%s\n", dev->phys ? dev->phys : "");
	seq_printf(seq, "S: Sysfs=%s\n", folder && node_path(folder, path, sizeof(path)) ?
		   path + strlen(SYS_PATH) : "");
	seq_printf(seq, "U: Uniq=%s\n", dev->uniq ? dev->uniq : "");
	seq_puts(seq, "H: Handlers=");
	list_for_each_entry(handle, &dev->h_list, d_node)
		seq_printf(seq, "%s ", handle->name);
	seq_printf(seq, "\nB: PROP=%s\n", bits_text(dev->propbit, INPUT_PROP_CNT, text));
	seq_printf(seq, "B: EV=%s\n", bits_text(dev->evbit, EV_CNT, text));
	show_bits(seq, dev, "KEY", EV_KEY, dev->keybit, KEY_CNT);
	show_bits(seq, dev, "REL", EV_REL, dev->relbit, REL_CNT);
	show_bits(seq, dev, "ABS", EV_ABS, dev->absbit, ABS_CNT);
	show_bits(seq, dev, "MSC", EV_MSC, dev->mscbit, MSC_CNT);
	show_bits(seq, dev, "LED", EV_LED, dev->ledbit, LED_CNT);
	show_bits(seq, dev, "SND", EV_SND, dev->sndbit, SND_CNT);
	show_bits(seq, dev, "FF", EV_FF, dev->ffbit, FF_CNT);
	show_bits(seq, dev, "SW", EV_SW, dev->swbit, SW_CNT);
	seq_putc(seq, '\n');
}

static int show_devices(struct seq_file *seq, void *unused)
{
	(void)unused;
	input_for_each_device(show_device, seq);
	return 0;
}

struct numbered_list {
	struct seq_file *seq;
	unsigned int nr;
};

static void show_handler(struct input_handler *handler, void *data)
{
	struct numbered_list *list = data;

	seq_printf(list->seq, "N: Number=%u Name=%s", list->nr++, handler->name);
	if (handler->filter)
		seq_puts(list->seq, " (filter)");
	if (handler->legacy_minors)
		seq_printf(list->seq, " Minor=%d", handler->minor);
	seq_putc(list->seq, '\n');
}

static int show_handlers(struct seq_file *seq, void *unused)
{
	struct numbered_list list = { seq, 0 };

	(void)unused;
	input_for_each_handler(show_handler, &list);
	return 0;
}

/* They go with the process. */
void input_add_proc_files(void)
{
	node_base(PROC_PATH "/bus/input");
	if (proc_create_single("bus/input/devices", 0444, NULL, show_devices))
		node_keep(node_find(PROC_PATH "/bus/input/devices"));
	if (proc_create_single("bus/input/handlers", 0444, NULL, show_handlers))
		node_keep(node_find(PROC_PATH "/bus/input/handlers"));
}
