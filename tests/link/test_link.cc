// SPDX-License-Identifier: MIT
//
// A C++ program that has functions and variables of its own by the names that
// the library uses inside, and by the kernel's names: it compiles with the public headers, links
// with the archive, and program and library each use their own.
#include <usermm/usermm.h>

#include <cstdio>

extern "C" {
int options = 1, zone = 2, percpu = 3;
int lock_init(int *word) { return ++*word; }
void *slab_init(void) { return &zone; }
int report_warning(void) { return 4; }
}

int main()
{
	void *object = kmalloc(100, GFP_KERNEL);
	struct page *page = alloc_pages(GFP_KERNEL | __GFP_COMP, 2);
	bool good = object && page && virt_to_page(page_address(page)) == page;

	put_page(page);
	kfree(object);
	good = good && options == 1 && lock_init(&zone) == 3 && percpu == 3 &&
	       slab_init() == &zone && report_warning() == 4;
	std::printf("%d passed, %d failed\n", good, !good);
	return !good;
}
