// SPDX-License-Identifier: MIT
/*
 * Keys in tables: see linux/input/sparse-keymap.h and matrix_keypad.h.
 * cf. Linux drivers/input/sparse-keymap.c and matrix-keymap.c.
 */
#include <linux/input/matrix_keypad.h>
#include <linux/input/sparse-keymap.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/slab.h>

#define for_each_entry(entry, dev) \
	for (entry = (dev)->keycode; entry && entry->type != KE_END; entry++)

struct key_entry *sparse_keymap_entry_from_scancode(struct input_dev *dev, unsigned int code)
{
	struct key_entry *entry;

	for_each_entry(entry, dev)
		if (entry->code == code)
			return entry;
	return NULL;
}

struct key_entry *sparse_keymap_entry_from_keycode(struct input_dev *dev, unsigned int code)
{
	struct key_entry *entry;

	for_each_entry(entry, dev)
		if (entry->type == KE_KEY && entry->keycode == code)
			return entry;
	return NULL;
}

static void allow(struct input_dev *dev, const struct key_entry *entry)
{
	if (entry->type == KE_KEY)
		input_set_capability(dev, EV_KEY, entry->keycode);
	else if (entry->type == KE_SW || entry->type == KE_VSW)
		input_set_capability(dev, EV_SW, entry->sw.code);
}

int sparse_keymap_setup(struct input_dev *dev, const struct key_entry *keymap,
			int (*setup)(struct input_dev *dev, struct key_entry *entry))
{
	struct key_entry *table, *entry;
	unsigned int n = 1;

	while (keymap[n - 1].type != KE_END)
		n++;
	table = devm_kmemdup(&dev->dev, keymap, n * sizeof(*table), GFP_KERNEL);
	if (!table)
		return -ENOMEM;
	for (entry = table; entry->type != KE_END; entry++) {
		int error = setup ? setup(dev, entry) : 0;

		if (error) {
			devm_kfree(&dev->dev, table);
			return error;
		}
		allow(dev, entry);
	}
	if (test_bit(EV_KEY, dev->evbit)) {
		__set_bit(KEY_UNKNOWN, dev->keybit);
		input_set_capability(dev, EV_MSC, MSC_SCAN);
	}
	dev->keycode = table;
	dev->keycodemax = n;
	return 0;
}

void sparse_keymap_report_entry(struct input_dev *dev, const struct key_entry *entry,
				unsigned int value, bool autorelease)
{
	switch (entry->type) {
	case KE_KEY:
		input_event(dev, EV_MSC, MSC_SCAN, (int)entry->code);
		input_report_key(dev, entry->keycode, (int)value);
		input_sync(dev);
		if (value && autorelease) {
			input_report_key(dev, entry->keycode, 0);
			input_sync(dev);
		}
		break;
	case KE_SW:
	case KE_VSW:
		input_report_switch(dev, entry->sw.code,
				    entry->type == KE_SW ? entry->sw.value : (int)value);
		input_sync(dev);
		break;
	}
}

bool sparse_keymap_report_event(struct input_dev *dev, unsigned int code, unsigned int value,
				bool autorelease)
{
	struct key_entry *entry = sparse_keymap_entry_from_scancode(dev, code);
	struct key_entry unknown = { .type = KE_KEY, .code = code, .keycode = KEY_UNKNOWN };

	sparse_keymap_report_entry(dev, entry ? entry : &unknown, value, autorelease);
	return entry;
}

int matrix_keypad_build_keymap(const struct matrix_keymap_data *keymap_data,
			       const char *keymap_name, unsigned int rows, unsigned int cols,
			       unsigned short *keymap, struct input_dev *input_dev)
{
	unsigned int shift = (unsigned int)get_count_order(cols);
	size_t n = (size_t)rows << shift;

	(void)keymap_name;
	if (WARN_ON(!input_dev->dev.parent && !keymap) || !keymap_data)
		return -EINVAL;
	if (!keymap)
		keymap = devm_kcalloc(input_dev->dev.parent, n, sizeof(*keymap), GFP_KERNEL);
	if (!keymap)
		return -ENOMEM;
	input_dev->keycode = keymap;
	input_dev->keycodesize = sizeof(*keymap);
	input_dev->keycodemax = (unsigned int)n;
	__set_bit(EV_KEY, input_dev->evbit);
	for (unsigned int i = 0; i < keymap_data->keymap_size; i++) {
		u32 key = keymap_data->keymap[i];

		if (KEY_ROW(key) >= rows || KEY_COL(key) >= cols) {
			dev_err(input_dev->dev.parent,
				"%s: invalid keymap entry 0x%x (row: %d, col: %d, "
				"rows: %d, cols: %d)\n", __func__, key, KEY_ROW(key), KEY_COL(key),
				rows, cols);
			return -EINVAL;
		}
		keymap[MATRIX_SCAN_CODE(KEY_ROW(key), KEY_COL(key), shift)] =
			(unsigned short)KEY_VAL(key);
		__set_bit(KEY_VAL(key), input_dev->keybit);
	}
	__clear_bit(KEY_RESERVED, input_dev->keybit);
	return 0;
}
