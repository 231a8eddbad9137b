/* SPDX-License-Identifier: MIT */
/* Functions that run later, in other threads: as works of a queue. */
#ifndef __ASYNC_H__
#define __ASYNC_H__

#include <linux/device.h>
#include <linux/list.h>
#include <linux/numa.h>
#include <linux/types.h>
#include <usermm/compiler.h>

typedef u64 async_cookie_t;
typedef void (*async_func_t)(void *data, async_cookie_t cookie);

struct async_domain {
	struct list_head pending;	/* Sync: the lock of async.c */
	unsigned int registered;
};

#define ASYNC_DOMAIN(name) struct async_domain name = { LIST_HEAD_INIT(name.pending), 1 }
#define ASYNC_DOMAIN_EXCLUSIVE(name) \
	struct async_domain name = { LIST_HEAD_INIT(name.pending), 0 }

USERMM_BEGIN_DECLS

/* The calls' numbers ascend. Without memory the function runs before this returns. */
async_cookie_t async_schedule_domain(async_func_t function, void *data,
				     struct async_domain *domain)
	USERMM_API(async_schedule_domain);
async_cookie_t async_schedule(async_func_t function, void *data) USERMM_API(async_schedule);
/* Wait for the calls of the domain whose number is lower; NULL: those without a domain. Sleep. */
void async_synchronize_cookie_domain(async_cookie_t cookie, struct async_domain *domain)
	USERMM_API(async_synchronize_cookie_domain);
void async_synchronize_full(void) USERMM_API(async_synchronize_full);

USERMM_END_DECLS

#define async_schedule_node(function, data, node) ((void)(node), async_schedule(function, data))
#define async_schedule_node_domain(function, data, node, domain) \
	((void)(node), async_schedule_domain(function, data, domain))
#define async_schedule_dev(function, dev) async_schedule(function, dev)
#define async_synchronize_full_domain(domain) \
	async_synchronize_cookie_domain(~(async_cookie_t)0, domain)
#define async_synchronize_cookie(cookie) async_synchronize_cookie_domain(cookie, NULL)
#define async_unregister_domain(domain) ((void)((domain)->registered = 0))
#define current_is_async() false

#endif
