/* SPDX-License-Identifier: MIT */
/* `map -o heap.svg` and `-o heap.html`: the window as a picture, a row for each pageblock. */
#ifndef INSPECT_PICTURE_H
#define INSPECT_PICTURE_H

#include <stdio.h>

#include "pages.h"

/* Writes an SVG, or an HTML page around it that has a table, too. */
enum inspect_status picture_write(struct heap *heap, const struct pages *pages, FILE *out,
				  bool html);

#endif
