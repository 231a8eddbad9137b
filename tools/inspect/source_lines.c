// SPDX-License-Identifier: MIT
#include "source_lines.h"

Dwarf_Die *unit_of_address(Dwfl_Module *module, Dwarf_Addr address, Dwarf_Addr *bias)
{
	Dwarf_Die *unit = dwfl_module_addrdie(module, address, bias);

	if (unit)
		return unit;
	while ((unit = dwfl_module_nextcu(module, unit, bias)))
		if (dwarf_haspc(unit, address - *bias) > 0)
			return unit;
	return NULL;
}

const char *source_of_address(Dwfl_Module *module, Dwarf_Addr address, int *line)
{
	Dwarf_Addr bias;
	Dwarf_Die *unit = unit_of_address(module, address, &bias);
	Dwarf_Line *source = unit ? dwarf_getsrc_die(unit, address - bias) : NULL;

	if (!source || dwarf_lineno(source, line))
		return NULL;
	return dwarf_linesrc(source, NULL, NULL);
}
