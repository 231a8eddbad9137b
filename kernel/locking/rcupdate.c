// SPDX-License-Identifier: MIT
/*
 * RCU by phases. A reader stores the current phase when it begins (0: it is no reader). A grace
 * period changes the phase and waits until no reader has the old one. It does so twice, since a
 * reader may read the phase early and store it late. At last it takes and drops every CPU's lock,
 * since code with preemption off counts as a reader.
 *
 * call_rcu() puts its callback on a list. A thread takes the whole list, waits one grace period,
 * and calls the callbacks in order.
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <linux/completion.h>
#include <linux/kernel.h>
#include <linux/llist.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "sched/context.h"
#include "futex.h"
#include "module/module_run.h"

#define PHASE_BIT 2
#define FREE_OFFSETS 4096	/* a func below is the head's offset in an object to free */

/* Changes between 1 and 3 with each grace period. A reader copies it; 0 there: it reads nothing. */
unsigned int usermm_rcu_phase = 1;

static pthread_mutex_t grace_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long nr_started, nr_ended;	/* grace periods; Sync: atomic */

static bool somebody_reads(unsigned int phase)
{
	bool reads = false;

	usermm_registry_lock();
	for (struct usermm_context *c = usermm_registry; c && !reads; c = c->next)
		/* pairs with rcu_read_unlock(): the section's reads are done */
		reads = __atomic_load_n(&c->rcu_phase, __ATOMIC_ACQUIRE) == phase;
	usermm_registry_unlock();
	return reads;
}

static void change_phase(void)
{
	unsigned int old = usermm_rcu_phase;

	WRITE_ONCE(usermm_rcu_phase, old ^ PHASE_BIT);
	/* Store the phase before reading the readers' phases; pairs with rcu_read_lock(). */
	usermm_heavy_fence();
	for (unsigned int tries = 0; somebody_reads(old); tries++)
		usleep(tries < 10 ? 10 : 200);
	smp_mb();
}

void synchronize_rcu(void)
{
	unsigned int cpu, count = usermm_let_go_of_cpu("synchronize_rcu");

	WARN_ONCE(usermm_self()->rcu_nesting, "synchronize_rcu() waits for its own reader\n");
	smp_mb();
	pthread_mutex_lock(&grace_lock);
	__atomic_fetch_add(&nr_started, 1, __ATOMIC_SEQ_CST);
	change_phase();
	change_phase();
	for_each_online_cpu(cpu) {
		usermm_lock(&usermm_cpus[cpu].lock);
		usermm_unlock(&usermm_cpus[cpu].lock);
	}
	__atomic_fetch_add(&nr_ended, 1, __ATOMIC_SEQ_CST);
	pthread_mutex_unlock(&grace_lock);
	smp_mb();
	if (count)
		usermm_cpu_hold(count);
}

/* A grace period that begins from now on is over when nr_ended has this value. */
unsigned long get_state_synchronize_rcu(void)
{
	return __atomic_load_n(&nr_started, __ATOMIC_SEQ_CST) + 1;
}

bool poll_state_synchronize_rcu(unsigned long state)
{
	return (long)(__atomic_load_n(&nr_ended, __ATOMIC_SEQ_CST) - state) >= 0;
}

void cond_synchronize_rcu(unsigned long state)
{
	if (!poll_state_synchronize_rcu(state))
		synchronize_rcu();
}

/* Callbacks, the latest first, linked by `next`. */
static LLIST_HEAD(callbacks);
static unsigned int nr_wakeups;		/* the futex that the thread sleeps on. Sync: atomic */

/*
 * The value that kfree_rcu() stores in func: the head's offset in the object, combined with the
 * head's address and a key, so that no other value looks like it. In small objects whose head is at
 * their beginning, func lies where the mark of a free object would be. The value then serves as the
 * mark of a waiting object.
 */
static unsigned long free_function(const struct rcu_head *head, unsigned long offset)
{
	return offset ^ (unsigned long)head ^ usermm_kfree_rcu_key();
}

/* The offset, if func is from kfree_rcu(). Any other func gives a number that is no offset. */
static unsigned long free_offset(const struct rcu_head *head)
{
	return free_function(head, (unsigned long)head->func);
}

/* The rcu_head may lie anywhere in the object. After the grace period func is NULL. */
bool usermm_kfree_rcu_has(const void *object, size_t bytes)
{
	const char *start = object;
	size_t end = min(bytes, (size_t)FREE_OFFSETS);

	for (size_t offset = 0; offset + sizeof(struct rcu_head) <= end;
	     offset += __alignof__(struct rcu_head))
		if (free_offset((const struct rcu_head *)(start + offset)) == offset)
			return true;
	return false;
}

/* kvfree(), but reports then name kfree() or vfree(), which callers of kfree_rcu() know. */
static void free_whatever(void *object)
{
	if (is_vmalloc_addr(object))
		vfree(object);
	else
		kfree(object);
}

static void serve(struct rcu_head *head)
{
	unsigned long function = (unsigned long)head->func;
	unsigned long offset = function < FREE_OFFSETS ? function : free_offset(head);

	/* If the object was freed meanwhile, its mark may have replaced the function. */
	usermm_kfree_rcu_check_mark(head, NULL);
	if (offset < FREE_OFFSETS) {
		head->func = NULL;	/* or usermm_kfree_rcu_has() would find it later */
		usermm_kfree_rcu_end((char *)head - offset);
		free_whatever((char *)head - offset);
		return;
	}
	local_bh_disable();
	head->func(head);
	local_bh_enable();
}

static void *rcu_main(void *task)
{
	usermm_task_enter(task);
	pthread_setname_np(pthread_self(), "rcu");
	for (;;) {
		unsigned int wakeups = __atomic_load_n(&nr_wakeups, __ATOMIC_SEQ_CST);
		struct llist_node *node = llist_reverse_order(llist_del_all(&callbacks));

		if (!node) {
			futex_wait(&nr_wakeups, wakeups, 0);
			continue;
		}
		synchronize_rcu();
		while (node) {
			struct llist_node *next = node->next;

			serve((struct rcu_head *)node);
			node = next;
		}
	}
	return NULL;
}

static void start_thread(void)
{
	struct task_struct *task = usermm_task_new("rcu", PF_KTHREAD);
	pthread_t thread;

	if (!task || pthread_create(&thread, NULL, rcu_main, task))
		panic("no thread for RCU\n");
	pthread_detach(thread);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

void usermm_rcu_start(void)
{
	pthread_once(&once, start_thread);
}

void call_rcu(struct rcu_head *head, rcu_callback_t function)
{
	_Static_assert(!offsetof(struct rcu_head, next), "a head is its node");
	_Static_assert(sizeof(struct rcu_head) <= sizeof(struct list_head),
		       "it fits where a slab had its place in a list");
	usermm_rcu_start();
	head->func = function;
	if (!llist_add((struct llist_node *)&head->next, &callbacks))
		return;		/* whoever added the first callback wakes the thread */
	__atomic_fetch_add(&nr_wakeups, 1, __ATOMIC_SEQ_CST);
	futex_wake(&nr_wakeups, 1);
}

unsigned long start_poll_synchronize_rcu(void)
{
	unsigned long state = get_state_synchronize_rcu();
	struct rcu_head *head = kmalloc(sizeof(*head), GFP_ATOMIC);

	/* An object that consists of the head alone, freed after the wanted grace period. */
	if (head)
		call_rcu(head, (rcu_callback_t)0UL);
	return state;
}

struct barrier {
	struct rcu_head head;
	struct completion done;
};

static void barrier_served(struct rcu_head *head)
{
	complete(&container_of(head, struct barrier, head)->done);
}

void rcu_barrier(void)
{
	struct barrier barrier;

	init_completion(&barrier.done);
	call_rcu(&barrier.head, barrier_served);
	wait_for_completion(&barrier.done);
}

void module_rcu_barrier(void)
{
	rcu_barrier();
}

void kvfree_rcu_barrier(void)
{
	rcu_barrier();
}

void usermm_kvfree_rcu(struct rcu_head *head, const void *object)
{
	unsigned long offset = (unsigned long)head - (unsigned long)object;

	if (!head) {
		synchronize_rcu();
		kvfree(object);
		return;
	}
	/* Check before the head is written: it may overlap the mark of a free object. */
	if (!usermm_kfree_rcu_begin((void *)object, free_offset(head) < FREE_OFFSETS,
				    __builtin_return_address(0)))
		return;
	call_rcu(head, (rcu_callback_t)free_function(head, offset));
}
