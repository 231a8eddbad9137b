// SPDX-License-Identifier: MIT
/* A parameter of every type; init shows what they are. */
#include <linux/module.h>

static unsigned char a_byte = 1;
module_param(a_byte, byte, 0);
static short a_short = 2;
module_param(a_short, short, 0);
static unsigned short a_ushort = 3;
module_param(a_ushort, ushort, 0);
static int an_int = 4;
module_param(an_int, int, 0644);
static unsigned int a_uint = 5;
module_param(a_uint, uint, 0);
static long a_long = 6;
module_param(a_long, long, 0);
static unsigned long a_ulong = 7;
module_param(a_ulong, ulong, 0);
static unsigned long long a_ullong = 8;
module_param(a_ullong, ullong, 0);
static bool a_bool;
module_param(a_bool, bool, 0);
static bool a_invbool = true;
module_param(a_invbool, invbool, 0);
static char *a_charp = "nothing";
module_param(a_charp, charp, 0);
static char a_string[8] = "-";
module_param_string(a_string, a_string, sizeof(a_string), 0);
static int hidden_name = 9;
module_param_named(shown_name, hidden_name, int, 0);
static int an_array[4];
static unsigned int an_array_nr;
module_param_array(an_array, int, &an_array_nr, 0);
static char *words[3] = { "", "", "" };
module_param_array(words, charp, NULL, 0);

static int even;

static int set_even(const char *value, const struct kernel_param *param)
{
	int error = param_set_int(value, param);

	return error ? error : even % 2 ? -EINVAL : 0;
}

static const struct kernel_param_ops even_ops = { .set = set_even, .get = param_get_int };
module_param_cb(even, &even_ops, &even, 0644);

static int __init params_init(void)
{
	pr_info("numbers %d %d %d %d %u %ld %lu %llu\n", a_byte, a_short, a_ushort, an_int, a_uint,
		a_long, a_ulong, a_ullong);
	pr_info("bools %d %d\n", a_bool, a_invbool);
	pr_info("texts %s %s\n", a_charp, a_string);
	pr_info("named %d even %d\n", hidden_name, even);
	pr_info("array %u: %d %d %d %d\n", an_array_nr, an_array[0], an_array[1], an_array[2],
		an_array[3]);
	pr_info("words %s,%s,%s\n", words[0], words[1], words[2]);
	return -EAGAIN;
}

module_init(params_init);
MODULE_LICENSE("GPL");
