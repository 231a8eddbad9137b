// SPDX-License-Identifier: MIT
/*
 * Pools of addresses, lists with walkers, queues ordered by time, and functions of small headers.
 */
#include <kunit/test.h>
#include <linux/genalloc.h>
#include <linux/jiffies.h>
#include <linux/klist.h>
#include <linux/kthread.h>
#include <linux/netdevice.h>
#include <linux/nospec.h>
#include <linux/sched/prio.h>
#include <linux/slab.h>
#include <linux/timerqueue.h>
#include <net/netns/generic.h>
#include <net/protocol.h>
#include <net/tcp_states.h>

static void test_pool_hands_out_its_ranges(struct kunit *test)
{
	struct gen_pool *pool = gen_pool_create(4, NUMA_NO_NODE);
	unsigned long first, second;
	int owner = 0;
	void *of;

	KUNIT_ASSERT_NOT_NULL(test, pool);
	KUNIT_EXPECT_EQ(test, gen_pool_alloc(pool, 16), 0UL);
	KUNIT_ASSERT_EQ(test, gen_pool_add(pool, 0x1000, 64, NUMA_NO_NODE), 0);
	KUNIT_ASSERT_EQ(test, gen_pool_add_owner(pool, 0x8000, 0x100, 128, NUMA_NO_NODE, &owner),
			0);
	KUNIT_EXPECT_EQ(test, gen_pool_size(pool), 192UL);
	KUNIT_EXPECT_EQ(test, gen_pool_alloc(pool, 0), 0UL);
	first = gen_pool_alloc(pool, 17);	/* rounded to 32 */
	KUNIT_EXPECT_EQ(test, first, 0x1000UL);
	KUNIT_EXPECT_EQ(test, gen_pool_avail(pool), 160UL);
	/* The first range has no room: the second one serves. */
	second = gen_pool_alloc_algo_owner(pool, 48, gen_pool_first_fit, NULL, &of);
	KUNIT_EXPECT_EQ(test, second, 0x8000UL);
	KUNIT_EXPECT_PTR_EQ(test, of, (void *)&owner);
	KUNIT_EXPECT_EQ(test, gen_pool_virt_to_phys(pool, second + 5), (phys_addr_t)0x105);
	KUNIT_EXPECT_EQ(test, gen_pool_virt_to_phys(pool, 0x2000), (phys_addr_t)-1);
	KUNIT_EXPECT_TRUE(test, gen_pool_has_addr(pool, 0x8000, 128));
	KUNIT_EXPECT_FALSE(test, gen_pool_has_addr(pool, 0x8000, 129));
	KUNIT_EXPECT_EQ(test, gen_pool_alloc(pool, 129), 0UL);
	gen_pool_free(pool, first, 17);
	gen_pool_free(pool, second, 48);
	KUNIT_EXPECT_EQ(test, gen_pool_avail(pool), 192UL);
	gen_pool_destroy(pool);
}

static void test_best_fit_takes_the_smallest_run(struct kunit *test)
{
	struct gen_pool *pool = gen_pool_create(0, NUMA_NO_NODE);

	KUNIT_ASSERT_NOT_NULL(test, pool);
	KUNIT_ASSERT_EQ(test, gen_pool_add(pool, 1000, 100, NUMA_NO_NODE), 0);
	KUNIT_ASSERT_EQ(test, gen_pool_alloc(pool, 100), 1000UL);
	gen_pool_free(pool, 1010, 20);
	gen_pool_free(pool, 1050, 5);
	gen_pool_free(pool, 1090, 10);
	gen_pool_set_algo(pool, gen_pool_best_fit, NULL);
	KUNIT_EXPECT_EQ(test, gen_pool_alloc(pool, 5), 1050UL);
	KUNIT_EXPECT_EQ(test, gen_pool_alloc(pool, 5), 1090UL);
	KUNIT_EXPECT_EQ(test, gen_pool_alloc(pool, 21), 0UL);
	gen_pool_set_algo(pool, NULL, NULL);
	KUNIT_EXPECT_EQ(test, gen_pool_alloc(pool, 5), 1010UL);
	/* All else is in use: give it back. */
	gen_pool_free(pool, 1000, 15);
	gen_pool_free(pool, 1030, 65);
	KUNIT_EXPECT_EQ(test, gen_pool_avail(pool), 100UL);
	gen_pool_destroy(pool);
}

struct walked {
	struct klist_node node;
	int value;
};

static int puts_seen;	/* Sync: atomic */

static void count_put(struct klist_node *node)
{
	(void)node;
	WRITE_ONCE(puts_seen, puts_seen + 1);
}

static int value_of(struct klist_node *node)
{
	return node ? container_of(node, struct walked, node)->value : -1;
}

static void test_walkers_skip_what_is_deleted(struct kunit *test)
{
	static struct walked a = { .value = 1 }, b = { .value = 2 }, c = { .value = 3 };
	static struct walked d = { .value = 4 };
	struct klist_iter iter, other;
	struct klist list;

	puts_seen = 0;
	klist_init(&list, NULL, count_put);
	klist_add_tail(&c.node, &list);
	klist_add_head(&a.node, &list);
	klist_add_behind(&b.node, &a.node);
	klist_add_before(&d.node, &c.node);
	klist_iter_init(&list, &iter);
	KUNIT_EXPECT_EQ(test, value_of(klist_next(&iter)), 1);
	/*
	 * A node on which a walker stands stays until the walker goes on. A node without a walker
	 * is gone at once.
	 */
	klist_iter_init_node(&list, &other, &b.node);
	klist_del(&a.node);
	klist_del(&b.node);
	KUNIT_EXPECT_TRUE(test, klist_node_attached(&a.node));
	KUNIT_EXPECT_TRUE(test, klist_node_attached(&b.node));
	klist_del(&d.node);
	KUNIT_EXPECT_FALSE(test, klist_node_attached(&d.node));
	KUNIT_EXPECT_EQ(test, puts_seen, 1);
	/* Another walker's node is skipped. */
	KUNIT_EXPECT_EQ(test, value_of(klist_next(&iter)), 3);
	KUNIT_EXPECT_FALSE(test, klist_node_attached(&a.node));
	KUNIT_EXPECT_EQ(test, puts_seen, 2);
	KUNIT_EXPECT_EQ(test, value_of(klist_prev(&iter)), -1);
	klist_iter_exit(&iter);
	KUNIT_EXPECT_EQ(test, value_of(klist_next(&other)), 3);
	KUNIT_EXPECT_FALSE(test, klist_node_attached(&b.node));
	klist_iter_exit(&other);
	klist_remove(&c.node);
	KUNIT_EXPECT_EQ(test, puts_seen, 4);
}

struct removal {
	struct klist_node *node;
	bool returned;			/* Sync: atomic */
};

static int remove_node(void *data)
{
	struct removal *removal = data;

	klist_remove(removal->node);
	WRITE_ONCE(removal->returned, true);
	return 0;
}

static void test_remove_waits_for_the_walker(struct kunit *test)
{
	static struct walked a = { .value = 1 };
	struct removal removal = { .node = &a.node };
	struct task_struct *remover;
	struct klist_iter iter;
	struct klist list;

	klist_init(&list, NULL, NULL);
	klist_add_tail(&a.node, &list);
	klist_iter_init(&list, &iter);
	KUNIT_ASSERT_EQ(test, value_of(klist_next(&iter)), 1);
	remover = kthread_run(remove_node, &removal, "remover");
	KUNIT_ASSERT_FALSE(test, IS_ERR(remover));
	get_task_struct(remover);
	while (!READ_ONCE(a.node.usermm_dead))
		cond_resched();
	/* From here on it either sleeps or has returned. */
	while (!READ_ONCE(removal.returned) &&
	       READ_ONCE(remover->__state) != TASK_UNINTERRUPTIBLE)
		cond_resched();
	KUNIT_EXPECT_FALSE(test, READ_ONCE(removal.returned));
	KUNIT_EXPECT_TRUE(test, klist_node_attached(&a.node));
	klist_iter_exit(&iter);
	KUNIT_EXPECT_EQ(test, kthread_stop(remover), 0);
	put_task_struct(remover);
	KUNIT_EXPECT_TRUE(test, removal.returned);
	KUNIT_EXPECT_FALSE(test, klist_node_attached(&a.node));
}

static void free_put(struct klist_node *node)
{
	count_put(node);
	kfree(container_of(node, struct walked, node));
}

/* No function touches a node after its put(): the sanitizers would notice. */
static void test_put_may_free_the_node(struct kunit *test)
{
	struct walked *nodes[3];
	struct klist_iter iter;
	struct klist list;

	puts_seen = 0;
	klist_init(&list, NULL, free_put);
	for (int i = 0; i < 3; i++) {
		nodes[i] = kzalloc(sizeof(*nodes[i]), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, nodes[i]);
		nodes[i]->value = i;
		klist_add_tail(&nodes[i]->node, &list);
	}
	klist_iter_init(&list, &iter);
	KUNIT_EXPECT_EQ(test, value_of(klist_next(&iter)), 0);
	klist_del(&nodes[0]->node);
	KUNIT_EXPECT_EQ(test, puts_seen, 0);
	KUNIT_EXPECT_EQ(test, value_of(klist_next(&iter)), 1);
	KUNIT_EXPECT_EQ(test, puts_seen, 1);
	klist_del(&nodes[1]->node);
	klist_iter_exit(&iter);
	KUNIT_EXPECT_EQ(test, puts_seen, 2);
	klist_remove(&nodes[2]->node);
	KUNIT_EXPECT_EQ(test, puts_seen, 3);
	KUNIT_EXPECT_TRUE(test, list_empty(&list.k_list));
}

static struct klist second_list;

static void move_put(struct klist_node *node)
{
	klist_add_tail(node, &second_list);
}

static void test_put_may_move_the_node(struct kunit *test)
{
	static struct walked a = { .value = 1 };
	struct klist_iter iter;
	struct klist list;

	klist_init(&second_list, NULL, NULL);
	klist_init(&list, NULL, move_put);
	klist_add_tail(&a.node, &list);
	/*
	 * The node is in a list again before this thread looks whether it has left the first one.
	 */
	klist_remove(&a.node);
	KUNIT_EXPECT_TRUE(test, list_empty(&list.k_list));
	klist_iter_init(&second_list, &iter);
	KUNIT_EXPECT_EQ(test, value_of(klist_next(&iter)), 1);
	klist_iter_exit(&iter);
	klist_remove(&a.node);
	KUNIT_EXPECT_TRUE(test, list_empty(&second_list.k_list));
}

static void test_timerqueue_is_in_order(struct kunit *test)
{
	struct timerqueue_node nodes[4];
	struct timerqueue_head head;

	timerqueue_init_head(&head);
	KUNIT_EXPECT_NULL(test, timerqueue_getnext(&head));
	for (unsigned int i = 0; i < 4; i++) {
		timerqueue_init(&nodes[i]);
		nodes[i].expires = i == 2 ? 5 : 10;
		KUNIT_EXPECT_EQ(test, timerqueue_add(&head, &nodes[i]), i == 0 || i == 2);
	}
	KUNIT_EXPECT_PTR_EQ(test, timerqueue_getnext(&head), &nodes[2]);
	KUNIT_EXPECT_PTR_EQ(test, timerqueue_iterate_next(&nodes[2]), &nodes[0]);
	KUNIT_EXPECT_PTR_EQ(test, timerqueue_iterate_next(&nodes[0]), &nodes[1]);
	for (unsigned int i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, timerqueue_del(&head, &nodes[i]), i < 3);
	KUNIT_EXPECT_FALSE(test, timerqueue_node_queued(&nodes[0]));
}

static void test_indices_and_nice_values(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, array_index_nospec(3UL, 4UL), 3UL);
	KUNIT_EXPECT_EQ(test, array_index_nospec(4UL, 4UL), 0UL);
	KUNIT_EXPECT_EQ(test, array_index_nospec(ULONG_MAX, 4UL), 0UL);
	KUNIT_EXPECT_EQ(test, NICE_TO_PRIO(MIN_NICE), MAX_RT_PRIO);
	KUNIT_EXPECT_EQ(test, NICE_TO_PRIO(MAX_NICE), MAX_PRIO - 1);
	KUNIT_EXPECT_EQ(test, nice_to_rlimit(-20), 40L);
	KUNIT_EXPECT_EQ(test, rlimit_to_nice(40), -20L);
}

static unsigned int net_id;
static int *seen_in_exit;

static int begin_net(struct net *net)
{
	int *data = net_generic(net, net_id);

	if (*data)
		return -EEXIST;
	*data = 7;
	return 0;
}

static void end_net(struct net *net)
{
	seen_in_exit = net_generic(net, net_id);
}

static int refuse_net(struct net *net)
{
	(void)net;
	return -EPERM;
}

static void test_namespace_data(struct kunit *test)
{
	struct pernet_operations operations = {
		.init = begin_net, .exit = end_net, .id = &net_id, .size = sizeof(int),
	};
	unsigned int refused_id;
	struct pernet_operations refused = {
		.init = refuse_net, .id = &refused_id, .size = sizeof(int),
	};
	int *data;

	KUNIT_ASSERT_EQ(test, register_pernet_subsys(&operations), 0);
	data = net_generic(&init_net, net_id);
	KUNIT_EXPECT_EQ(test, *data, 7);
	KUNIT_EXPECT_EQ(test, register_pernet_subsys(&refused), -EPERM);
	KUNIT_EXPECT_NULL(test, net_generic(&init_net, refused_id));
	unregister_pernet_subsys(&operations);
	KUNIT_EXPECT_PTR_EQ(test, seen_in_exit, data);
	KUNIT_EXPECT_NULL(test, net_generic(&init_net, net_id));
}

static void test_protocols_have_one_handler(struct kunit *test)
{
	static const struct net_protocol mine, other;

	KUNIT_EXPECT_EQ(test, inet_add_protocol(&mine, IPPROTO_TCP), -1);
	KUNIT_EXPECT_EQ(test, inet_add_protocol(&mine, 253), 0);
	KUNIT_EXPECT_EQ(test, inet_add_protocol(&other, 253), -1);
	KUNIT_EXPECT_EQ(test, inet_del_protocol(&other, 253), -1);
	KUNIT_EXPECT_EQ(test, inet_del_protocol(&mine, 253), 0);
	KUNIT_EXPECT_EQ(test, (int)TCP_CLOSING, 11);
}

static struct kunit_case pools_cases[] = {
	KUNIT_CASE(test_pool_hands_out_its_ranges),
	KUNIT_CASE(test_best_fit_takes_the_smallest_run),
	KUNIT_CASE(test_walkers_skip_what_is_deleted),
	KUNIT_CASE(test_remove_waits_for_the_walker),
	KUNIT_CASE(test_put_may_free_the_node),
	KUNIT_CASE(test_put_may_move_the_node),
	KUNIT_CASE(test_timerqueue_is_in_order),
	KUNIT_CASE(test_indices_and_nice_values),
	KUNIT_CASE(test_namespace_data),
	KUNIT_CASE(test_protocols_have_one_handler),
	{ }
};

static struct kunit_suite pools_suite = {
	.name = "pools",
	.test_cases = pools_cases,
};
kunit_test_suite(pools_suite);
