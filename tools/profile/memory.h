/* SPDX-License-Identifier: MIT */
/* Memory for the command: without memory the program ends, with a message. */
#ifndef PROFILE_MEMORY_H
#define PROFILE_MEMORY_H

#include <stddef.h>

/* Returns the pointer; if that is NULL, ends the program. */
void *need(void *pointer);
char *copy_text(const char *text);
/* Makes room for element nr behind the others. Returns the array, which may have moved. */
void *grow_array(void *array, size_t nr, size_t element_bytes);

#endif
