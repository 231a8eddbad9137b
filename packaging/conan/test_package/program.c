/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <usermm/usermm.h>

int main(void)
{
	void *object = kmalloc(100, GFP_KERNEL);

	printf("usermm: %zu\n", ksize(object));
	if (ksize(object) != 128)
		return 1;
	kfree(object);
	return 0;
}
