/* SPDX-License-Identifier: MIT */
#include "malloc/mapped/handler_pages.h"

#include <string.h>

#include "base/atomic.h"
#include "os/lock.h"
#include "os/os.h"

void *handler_pages[HANDLER_PAGES_MAX] __large_bss;

void *handler_page_withdraw(void)
{
	for (unsigned int i = 0; i < HANDLER_PAGES_MAX; i++) {
		/* pairs with handler_page_keep(): the contents of the page */
		void *page = atomic_load_relaxed(&handler_pages[i]) ?
			     atomic_exchange_acquire(&handler_pages[i], NULL) : NULL;

		if (page)
			return page;
	}
	return NULL;
}

void *handler_page_take(void)
{
	void *page = lock_none_held() ? NULL : handler_page_withdraw();

	return page ? memset(page, 0, os_page_bytes()) : NULL;
}

bool handler_page_keep(void *page)
{
	if (lock_none_held())
		return false;
	for (unsigned int i = 0; i < HANDLER_PAGES_MAX; i++) {
		void *none = NULL;

		/* pairs with handler_page_withdraw(): the contents of the page */
		if (!atomic_load_relaxed(&handler_pages[i]) &&
		    atomic_cas_release(&handler_pages[i], &none, page))
			return true;
	}
	return false;
}

size_t handler_pages_bytes(void)
{
	size_t bytes = 0;

	for (unsigned int i = 0; i < HANDLER_PAGES_MAX; i++)
		bytes += atomic_load_relaxed(&handler_pages[i]) ? os_page_bytes() : 0;
	return bytes;
}
