/* SPDX-License-Identifier: MIT */
/* Fills memory with blocks of one size, and then takes one last block: see last_block.py. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* volatile, so that the compiler cannot leave out what nobody reads. */
static char *volatile newest;

static int take(size_t bytes)
{
	newest = malloc(bytes);
	if (!newest)
		return -1;
	memset(newest, 1, bytes);
	return 0;
}

int main(int argc, char **argv)
{
	size_t bytes = argc == 4 ? strtoul(argv[1], NULL, 10) : 0;
	size_t fill = bytes ? strtoul(argv[2], NULL, 10) : 0;
	size_t last = bytes ? strtoul(argv[3], NULL, 10) : 0;

	if (!bytes) {
		fprintf(stderr, "usage: last_block BYTES FILL LAST\n");
		return 2;
	}
	for (size_t sum = 0; sum < fill; sum += bytes)
		if (take(bytes))
			return 1;
	if (take(last))
		return 1;
	puts("lives");
	return 0;
}
