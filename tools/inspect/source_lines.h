/* SPDX-License-Identifier: MIT */
/*
 * Code addresses in a program's debug information.
 *
 * libdwfl finds an address's unit in the section .debug_aranges, and elfutils before 0.191 nowhere
 * else. clang makes none. There these functions ask each unit for its ranges.
 */
#ifndef INSPECT_SOURCE_LINES_H
#define INSPECT_SOURCE_LINES_H

#include <elfutils/libdwfl.h>

/* The unit with the code, or NULL. *bias is what its addresses have less than the process's. */
Dwarf_Die *unit_of_address(Dwfl_Module *module, Dwarf_Addr address, Dwarf_Addr *bias);

/* The path of the code's source, and *line. NULL if they are unknown; *line stays then. */
const char *source_of_address(Dwfl_Module *module, Dwarf_Addr address, int *line);

#endif
