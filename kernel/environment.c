// SPDX-License-Identifier: MIT
#include "environment.h"

#include "os/os.h"

long usermm_environment(const char *name, char *value, size_t size)
{
	return os_environment(name, value, size);
}
