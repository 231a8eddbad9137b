/* SPDX-License-Identifier: MIT */
/* Draws the window for `usermm inspect PID map -o FILE.html` (or .svg). */
#ifndef INSPECT_PICTURE_H
#define INSPECT_PICTURE_H

#include <stdio.h>

#include "pages.h"

/* Is it the name of a picture: does it end in .html or .svg? */
bool picture_is(const char *path);
/*
 * Writes the picture. A page of HTML also has tables of what pages are used for, of free blocks and
 * of caches. It needs nothing beside it, and no script.
 */
enum inspect_status picture_write(struct heap *heap, const struct pages *pages, const char *path,
				  FILE *out);

#endif
