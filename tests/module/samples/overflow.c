// SPDX-License-Identifier: MIT
/*
 * A store beside a vmalloc area, after many areas came and went: an inaccessible page is there,
 * behind the area and in front of it.
 */
#include <linux/module.h>
#include <linux/vmalloc.h>

static unsigned long pages = 1;
module_param(pages, ulong, 0);
static bool in_front;
module_param(in_front, bool, 0);

#define NR_AREAS 64

static int __init overflow_init(void)
{
	volatile char *area;

	for (unsigned int round = 0; round < 20; round++) {
		void *areas[NR_AREAS];

		for (unsigned int i = 0; i < NR_AREAS; i++) {
			areas[i] = vzalloc((1 + i % 7) * PAGE_SIZE);
			if (!areas[i])
				return -ENOMEM;
			memset(areas[i], 0xa5, (1 + i % 7) * PAGE_SIZE);
		}
		for (unsigned int i = 0; i < NR_AREAS; i++)
			vfree(areas[(i * 37) % NR_AREAS]);
	}
	area = vmalloc(pages * PAGE_SIZE);
	if (!area)
		return -ENOMEM;
	area[0] = area[pages * PAGE_SIZE - 1] = 1;
	pr_info("overflow: all bytes are the area's\n");
	area[in_front ? -1L : (long)(pages * PAGE_SIZE)] = 1;
	pr_info("overflow: nobody saw it\n");
	return 0;
}
module_init(overflow_init);

static void __exit overflow_exit(void)
{
}
module_exit(overflow_exit);
MODULE_LICENSE("GPL");
