// SPDX-License-Identifier: MIT
/*
 * The first half of slab_test.c as a plain program with usermm's public headers. By comparison
 * tools/compare_module.py measures the cost of being a module. Arguments: loops, rounds.
 */
#include <stdlib.h>

#include "../loops/kmalloc_single.h"

int main(int argc, char **argv)
{
	unsigned long loops = argc > 1 ? strtoul(argv[1], NULL, 10) : OBJECTS;
	unsigned long rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : MEASURE_MAX_ROUNDS;

	if (loops < BATCH || loops > OBJECTS)
		return 2;
	measure_init(true);
	return kmalloc_single_thread(loops, (unsigned int)rounds) ? 0 : 1;
}
