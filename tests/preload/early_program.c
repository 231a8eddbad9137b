/* SPDX-License-Identifier: MIT */
/* Uses, changes and frees blocks that are older than the process's malloc (early_library.c). */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

int early_choice(void);
unsigned char *early_block(unsigned int i, size_t *size);

static int is_as_it_was(const unsigned char *block, unsigned int i, size_t size)
{
	return block && block[0] == (unsigned char)(i + 1) &&
	       block[size - 1] == (unsigned char)(i + 1);
}

static int fail(const char *what, unsigned int i)
{
	fprintf(stderr, "%s: block %u\n", what, i);
	return 1;
}

int main(void)
{
	unsigned char *block;
	size_t size;
	unsigned int i;

	if (early_choice())
		return fail("the resolver's blocks are wrong", 0);
	for (i = 0; (block = early_block(i, &size)); i++) {
		if (!is_as_it_was(block, i, size) || malloc_usable_size(block) < size)
			return fail("not as it was", i);
		if (i % 3 == 0)
			block = realloc(block, size * 2 + 5000);
		else if (i % 3 == 1)
			block = realloc(block, size + 1);
		if (!is_as_it_was(block, i, size))
			return fail("lost by realloc()", i);
		free(block);
		free(malloc(size));
	}
	printf("%u blocks\n", i);
	return 0;
}
