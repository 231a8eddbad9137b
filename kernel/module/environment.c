// SPDX-License-Identifier: MIT
#include "environment.h"

#include "os/os.h"

long usermm_environment(const char *name, char *value, size_t size)
{
	return os_environment(name, value, size);
}

/* Sync: written by a constructor, before there are threads. */
static char program[OS_PROGRAM_PATH_BYTES];

__attribute__((constructor)) static void find_program(void)
{
	os_program_file(program);
}

const char *usermm_program_file(void)
{
	return program;
}
