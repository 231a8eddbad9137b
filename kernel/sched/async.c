// SPDX-License-Identifier: MIT
/* Functions that run later: see linux/async.h. cf. Linux kernel/async.c. */
#include <linux/async.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

struct async_call {
	struct work_struct work;
	struct list_head pending;	/* of its domain, by number. Sync: lock */
	async_func_t function;
	void *data;
	async_cookie_t cookie;
};

static DEFINE_SPINLOCK(lock);
static async_cookie_t next_cookie = 1;		/* Sync: lock */
static ASYNC_DOMAIN(default_domain);
static DECLARE_WAIT_QUEUE_HEAD(done);

static void run(struct work_struct *work)
{
	struct async_call *call = container_of(work, struct async_call, work);

	call->function(call->data, call->cookie);
	spin_lock(&lock);
	list_del(&call->pending);
	spin_unlock(&lock);
	kfree(call);
	wake_up_all(&done);
}

async_cookie_t async_schedule_domain(async_func_t function, void *data,
				     struct async_domain *domain)
{
	struct async_call *call = kzalloc(sizeof(*call), GFP_ATOMIC);
	async_cookie_t cookie;

	spin_lock(&lock);
	cookie = next_cookie++;
	if (call) {
		call->function = function;
		call->data = data;
		call->cookie = cookie;
		list_add_tail(&call->pending, &domain->pending);
	}
	spin_unlock(&lock);
	if (call) {
		INIT_WORK(&call->work, run);
		queue_work(system_unbound_wq, &call->work);
	} else {
		function(data, cookie);
	}
	return cookie;
}

async_cookie_t async_schedule(async_func_t function, void *data)
{
	return async_schedule_domain(function, data, &default_domain);
}

static bool is_through(struct async_domain *domain, async_cookie_t cookie)
{
	struct async_call *first;
	bool through;

	spin_lock(&lock);
	first = list_first_entry_or_null(&domain->pending, struct async_call, pending);
	through = !first || first->cookie >= cookie;
	spin_unlock(&lock);
	return through;
}

void async_synchronize_cookie_domain(async_cookie_t cookie, struct async_domain *domain)
{
	if (!domain)
		domain = &default_domain;
	wait_event(done, is_through(domain, cookie));
}

void async_synchronize_full(void)
{
	async_synchronize_cookie_domain(~(async_cookie_t)0, &default_domain);
}
