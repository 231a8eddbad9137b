// SPDX-License-Identifier: MIT
/* Input devices: one whose events a program asks for by writing, and one that is polled. */
#include <linux/input.h>
#include <linux/input/mt.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/uaccess.h>

static struct input_dev *keys, *lever, *pad;
static unsigned short codes[] = { KEY_A, KEY_B };
static int position, nr_opened;

static int open_keys(struct input_dev *dev)
{
	(void)dev;
	nr_opened++;
	return 0;
}

static void close_keys(struct input_dev *dev)
{
	(void)dev;
	nr_opened--;
}

static int take_event(struct input_dev *dev, unsigned int type, unsigned int code, int value)
{
	(void)dev;
	pr_info("told %u %u %d\n", type, code, value);
	return 0;
}

static void ask_lever(struct input_dev *dev)
{
	input_report_abs(dev, ABS_X, ++position);
	input_sync(dev);
}

static void touch(struct input_dev *dev)
{
	for (int i = 0; i < 2; i++) {
		input_mt_slot(dev, i);
		input_mt_report_slot_state(dev, MT_TOOL_FINGER, true);
		input_report_abs(dev, ABS_MT_POSITION_X, 10 + i);
	}
	input_mt_sync_frame(dev);
	input_sync(dev);
}

/* A letter does one thing. */
static ssize_t control(struct file *file, const char __user *buffer, size_t n, loff_t *pos)
{
	char letter;

	(void)file, (void)pos;
	if (get_user(letter, buffer))
		return -EFAULT;
	switch (letter) {
	case 'a':			/* a key is pressed and let go, and some that is unknown */
		input_report_key(keys, KEY_A, 1);
		input_report_key(keys, KEY_Z, 1);
		input_sync(keys);
		input_report_key(keys, KEY_A, 0);
		input_sync(keys);
		input_sync(keys);
		break;
	case 'm':			/* many moves: more than a program keeps */
		for (int i = 0; i < 500; i++) {
			input_report_rel(keys, REL_X, i + 1);
			input_sync(keys);
		}
		break;
	case 'h':			/* a key is held */
		input_report_key(keys, KEY_B, 1);
		input_sync(keys);
		break;
	case 't':
		touch(pad);
		break;
	case 'o':
		pr_info("opened %d\n", nr_opened);
		break;
	case 'x':
		input_unregister_device(pad);
		pad = NULL;
		break;
	}
	return (ssize_t)n;
}

static const struct proc_ops operations = { .proc_write = control };

static int make_keys(void)
{
	keys = input_allocate_device();
	if (!keys)
		return -ENOMEM;
	keys->name = "two keys";
	keys->phys = "keys/input0";
	keys->id = (struct input_id){ BUS_VIRTUAL, 1, 2, 3 };
	keys->open = open_keys;
	keys->close = close_keys;
	keys->event = take_event;
	keys->keycode = codes;
	keys->keycodesize = sizeof(codes[0]);
	keys->keycodemax = ARRAY_SIZE(codes);
	for (unsigned int i = 0; i < ARRAY_SIZE(codes); i++)
		input_set_capability(keys, EV_KEY, codes[i]);
	input_set_capability(keys, EV_REL, REL_X);
	input_set_capability(keys, EV_LED, LED_CAPSL);
	__set_bit(EV_REP, keys->evbit);
	keys->rep[REP_DELAY] = 20;
	keys->rep[REP_PERIOD] = 10;
	input_enable_softrepeat(keys, 20, 10);
	return input_register_device(keys);
}

static int make_lever(void)
{
	lever = input_allocate_device();
	if (!lever || input_setup_polling(lever, ask_lever))
		return -ENOMEM;
	lever->name = "lever";
	input_set_abs_params(lever, ABS_X, -5, 1000, 0, 2);
	input_set_poll_interval(lever, 5);
	input_set_max_poll_interval(lever, 50);
	return input_register_device(lever);
}

static int make_pad(void)
{
	pad = input_allocate_device();
	if (!pad)
		return -ENOMEM;
	pad->name = "pad";
	input_set_abs_params(pad, ABS_MT_POSITION_X, 0, 100, 0, 0);
	return input_mt_init_slots(pad, 2, INPUT_MT_POINTER) ?: input_register_device(pad);
}

static int __init keys_init(void)
{
	int error = make_keys() ?: make_lever() ?: make_pad();

	if (!error && !proc_create("keys", 0222, NULL, &operations))
		error = -ENOMEM;
	return error;
}

static void __exit keys_exit(void)
{
	remove_proc_entry("keys", NULL);
	if (pad)
		input_unregister_device(pad);
	input_unregister_device(lever);
	input_unregister_device(keys);
	pr_info("opened %d\n", nr_opened);
}

module_init(keys_init);
module_exit(keys_exit);
MODULE_LICENSE("GPL");
