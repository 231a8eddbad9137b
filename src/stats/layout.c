/* SPDX-License-Identifier: MIT */
/* The layout note of the core: see layout.h. layout_malloc.c has malloc's. */
#include "stats/layout.h"

#include "base/compiler.h"
#include "base/options.h"
#include "malloc/mapped/handler_pages.h"
#include "malloc/mapped/mapped.h"
#include "malloc/mapped/mapped_cache.h"
#include "malloc/mapped/mapping_word.h"
#include "malloc/profile/profile.h"
#include "mm/memmap.h"
#include "mm/page_flags.h"
#include "page/debug/stack_depot.h"
#include "page/mappings.h"
#include "page/pageblock.h"
#include "page/pcp/pcp_list.h"
#include "quicklist/cache.h"
#include "slab/hardened/hardened_object.h"
#include "slab/kfence/kfence_slot.h"
#include "slab/kmalloc/kvmalloc.h"
#include "slab/mixed/mixed.h"
#include "slab/mixed/mixed_record.h"
#include "slab/slab.h"
#include "slab/slab_word.h"
#include "stats/control_request.h"

#define ADDRESS(variable)
#define MALLOC_ADDRESS(variable)

/* Does every value fit into its 16 bits? */
#define VALUE(name, number) _Static_assert((unsigned long)(number) <= UINT16_MAX, #name);
#define FIELD(structure, field) VALUE(structure##_##field, offsetof(struct structure, field))
#define SIZE(structure) VALUE(sizeof_##structure, sizeof(struct structure))
#include "stats/layout.def"
#undef VALUE

struct layout_note {
	uint32_t name_bytes, value_bytes, type;
	char name[ALIGN(sizeof(LAYOUT_NAME), 4)];
	struct layout_values values;
};

static const struct layout_note note
__attribute__((__used__, __section__(".note.usermm"), __aligned__(4))) = {
	.name_bytes = sizeof(LAYOUT_NAME),
	.value_bytes = sizeof(struct layout_values),
	.type = LAYOUT_VALUES,
	.name = LAYOUT_NAME,
	.values = {
		.version = LAYOUT_VERSION,
		.nr = NR_LAYOUT_VALUES,
		.release = USERMM_VERSION,
		.values = {
#define VALUE(name, number) [LAYOUT_##name] = (number),
#include "stats/layout.def"
		},
	},
};
#undef VALUE
#undef FIELD
#undef SIZE
#undef ADDRESS

#define VALUE(name, number)
#define FIELD(structure, field)
#define SIZE(structure)
#define ADDRESS(variable) LAYOUT_NOTE_ADDRESS(variable)
LAYOUT_NOTE_BEGIN(2)
#include "stats/layout.def"
LAYOUT_NOTE_END;
_Static_assert(LAYOUT_CORE == 2, "the note's type");
