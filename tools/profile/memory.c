// SPDX-License-Identifier: MIT
#include "profile/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "usermm/command.h"
#include "usermm/say.h"

void *need(void *pointer)
{
	if (!pointer) {
		say(stderr, "usermm profile: out of memory\n");
		exit(EXIT_NO_MEMORY);
	}
	return pointer;
}

char *copy_text(const char *text)
{
	return need(strdup(text));
}

/* The room doubles each time that it is full: at 0, 1, 2, 4, 8, ... elements. */
void *grow_array(void *array, size_t nr, size_t element_bytes)
{
	if (nr & (nr - 1))
		return array;
	return need(reallocarray(array, nr ? 2 * nr : 1, element_bytes));
}
