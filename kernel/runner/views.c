// SPDX-License-Identifier: MIT
/*
 * Does the program call a function that needs views (kernel/memory/views.h)? This must be known
 * before the library has pages. A program that links the archive then contains usermm_views_wanted.
 * A program that links the shared library has relocations for these functions, which this file
 * searches.
 */
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "files/wire.h"
#include "memory/views.h"

static const char *const callers[] = {
	"usermm_vmap", "usermm_vm_map_ram", "usermm_vmalloc_to_page",
};

struct tables {
	const char *names;
	const ElfW(Sym) *symbols;
	const ElfW(Rela) *relocations[2];
	size_t bytes[2];
};

/* Some loaders replace the offsets in .dynamic by addresses, others do not. */
static const void *at(const struct dl_phdr_info *info, ElfW(Addr) value)
{
	return (const void *)(value < info->dlpi_addr ? value + info->dlpi_addr : value);
}

static void read_tables(const struct dl_phdr_info *info, const ElfW(Dyn) *entry,
			struct tables *tables)
{
	for (; entry->d_tag != DT_NULL; entry++) {
		switch (entry->d_tag) {
		case DT_STRTAB:
			tables->names = at(info, entry->d_un.d_ptr);
			break;
		case DT_SYMTAB:
			tables->symbols = at(info, entry->d_un.d_ptr);
			break;
		case DT_RELA:
			tables->relocations[0] = at(info, entry->d_un.d_ptr);
			break;
		case DT_RELASZ:
			tables->bytes[0] = entry->d_un.d_val;
			break;
		case DT_JMPREL:
			tables->relocations[1] = at(info, entry->d_un.d_ptr);
			break;
		case DT_PLTRELSZ:
			tables->bytes[1] = entry->d_un.d_val;
			break;
		}
	}
}

static bool is_caller(const char *name)
{
	for (size_t i = 0; i < sizeof(callers) / sizeof(*callers); i++)
		if (!strcmp(name, callers[i]))
			return true;
	return false;
}

static bool calls_one(const struct tables *tables)
{
	for (unsigned int i = 0; i < 2; i++) {
		size_t nr = tables->bytes[i] / sizeof(ElfW(Rela));

		for (size_t j = 0; tables->relocations[i] && j < nr; j++) {
			size_t symbol = ELF64_R_SYM(tables->relocations[i][j].r_info);

			if (is_caller(tables->names + tables->symbols[symbol].st_name))
				return true;
		}
	}
	return false;
}

/* Called for the first object, which is the program. Returning 1 ends the iteration. */
static int look_at_program(struct dl_phdr_info *info, size_t size, void *data)
{
	struct tables tables = { 0 };

	(void)size;
	(void)data;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			read_tables(info, (const void *)(info->dlpi_addr +
							 info->dlpi_phdr[i].p_vaddr), &tables);
	if (tables.names && tables.symbols && calls_one(&tables))
		views_want();
	return 1;
}

__attribute__((constructor(101)))
static void look_for_callers(void)
{
	/* Programs map pages of a module that is run with one. */
	if (&usermm_views_wanted || getenv(FILES_VARIABLE))
		views_want();
	else
		dl_iterate_phdr(look_at_program, NULL);
}
