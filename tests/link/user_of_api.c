/* SPDX-License-Identifier: MIT */
/* A shared object that uses the API by libusermm.so. */
#include <usermm/usermm.h>

void *user_kmalloc(size_t bytes);
bool user_knows(const void *pointer);

__attribute__((visibility("default"))) void *user_kmalloc(size_t bytes)
{
	return kmalloc(bytes, GFP_KERNEL);
}

__attribute__((visibility("default"))) bool user_knows(const void *pointer)
{
	return virt_addr_valid(pointer);
}
