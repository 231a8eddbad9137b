/* SPDX-License-Identifier: MIT */
/* The layout note of malloc's variables: see layout.h. Part of the libraries that have malloc. */
#include "stats/layout.h"

#include "base/compiler.h"

#define VALUE(name, number)
#define FIELD(structure, field)
#define SIZE(structure)
#define ADDRESS(variable)
#define MALLOC_ADDRESS(variable) LAYOUT_NOTE_ADDRESS(variable)
LAYOUT_NOTE_BEGIN(3)
#include "stats/layout.def"
LAYOUT_NOTE_END;
_Static_assert(LAYOUT_MALLOC == 3, "the note's type");
