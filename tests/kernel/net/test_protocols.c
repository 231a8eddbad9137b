// SPDX-License-Identifier: MIT
/* What modules add to the network: congestion controls, families and kinds of sockets. */
#include <kunit/test.h>
#include <linux/net.h>
#include <linux/slab.h>
#include <net/ip6_checksum.h>
#include <net/netfilter/nf_conntrack.h>
#include <net/sock.h>
#include <net/tcp.h>

static void keep_still(struct sock *sk, u32 ack, u32 acked)
{
	(void)sk;
	(void)ack;
	(void)acked;
}

static void test_congestion_controls(struct kunit *test)
{
	struct tcp_congestion_ops control = {
		.ssthresh = tcp_reno_ssthresh, .undo_cwnd = tcp_reno_undo_cwnd,
		.cong_avoid = keep_still, .name = "test",
	}, other = control;

	KUNIT_EXPECT_EQ(test, tcp_register_congestion_control(&control), 0);
	KUNIT_EXPECT_EQ(test, tcp_register_congestion_control(&other), -EEXIST);
	tcp_unregister_congestion_control(&control);
	KUNIT_EXPECT_EQ(test, tcp_register_congestion_control(&other), 0);
	tcp_unregister_congestion_control(&other);
	strscpy(other.name, "cubic", sizeof(other.name));
	KUNIT_EXPECT_EQ(test, tcp_register_congestion_control(&other), -EEXIST);
	control.cong_avoid = NULL;
	KUNIT_EXPECT_EQ(test, tcp_register_congestion_control(&control), -EINVAL);
	control.cong_avoid = keep_still;
	control.undo_cwnd = NULL;
	KUNIT_EXPECT_EQ(test, tcp_register_congestion_control(&control), -EINVAL);
}

static void test_steps_of_a_window(struct kunit *test)
{
	struct tcp_sock *tcp = kunit_kzalloc(test, sizeof(*tcp), GFP_KERNEL);
	struct sock *sk = (struct sock *)tcp;

	KUNIT_ASSERT_NOT_NULL(test, tcp);
	tcp->snd_cwnd = 10;
	tcp->snd_ssthresh = 16;
	tcp->snd_cwnd_clamp = 100;
	tcp->is_cwnd_limited = true;
	KUNIT_EXPECT_TRUE(test, tcp_in_slow_start(tcp));
	KUNIT_EXPECT_EQ(test, tcp_slow_start(tcp, 4), 0);
	KUNIT_EXPECT_EQ(test, tcp->snd_cwnd, 14);
	/* Two of the eight reach the threshold; six count for what follows. */
	KUNIT_EXPECT_EQ(test, tcp_slow_start(tcp, 8), 6);
	KUNIT_EXPECT_EQ(test, tcp->snd_cwnd, 16);
	KUNIT_EXPECT_FALSE(test, tcp_in_slow_start(tcp));
	tcp_reno_cong_avoid(sk, 0, 15);
	KUNIT_EXPECT_EQ(test, tcp->snd_cwnd, 16);
	tcp_reno_cong_avoid(sk, 0, 33);
	KUNIT_EXPECT_EQ(test, tcp->snd_cwnd, 19);
	KUNIT_EXPECT_EQ(test, tcp->snd_cwnd_cnt, 0);
	KUNIT_EXPECT_EQ(test, tcp_reno_ssthresh(sk), 9);
	tcp->prior_cwnd = 50;
	KUNIT_EXPECT_EQ(test, tcp_reno_undo_cwnd(sk), 50);
	tcp->snd_cwnd_clamp = 20;
	tcp_cong_avoid_ai(tcp, 1, 50);
	KUNIT_EXPECT_EQ(test, tcp->snd_cwnd, 20);
	tcp->snd_cwnd = 2;
	KUNIT_EXPECT_EQ(test, tcp_reno_ssthresh(sk), 2);
	/* Without a full window nothing grows. */
	tcp->is_cwnd_limited = false;
	tcp_reno_cong_avoid(sk, 0, 40);
	KUNIT_EXPECT_EQ(test, tcp->snd_cwnd, 2);
}

static int nr_destroyed;

static void count_destroyed(struct sock *sk)
{
	(void)sk;
	nr_destroyed++;
}

struct kind {
	struct sock sk;
	char more[100];
};

static void test_sockets_of_a_kind(struct kunit *test)
{
	struct proto proto = { .name = "TEST", .obj_size = sizeof(struct kind) };
	struct socket socket = { .type = 2 };
	struct sock *sk;

	for (int needs_cache = 0; needs_cache < 2; needs_cache++) {
		nr_destroyed = 0;
		KUNIT_ASSERT_EQ(test, proto_register(&proto, needs_cache), 0);
		sk = sk_alloc(&init_net, 40, GFP_KERNEL, &proto, 1);
		KUNIT_ASSERT_NOT_NULL(test, sk);
		KUNIT_EXPECT_EQ(test, ksize(sk) >= sizeof(struct kind), 1);
		KUNIT_EXPECT_EQ(test, ((struct kind *)sk)->more[99], 0);
		sk->sk_destruct = count_destroyed;
		sock_init_data(&socket, sk);
		KUNIT_EXPECT_PTR_EQ(test, socket.sk, sk);
		KUNIT_EXPECT_EQ(test, sk->sk_family, 40);
		KUNIT_EXPECT_EQ(test, sk->sk_type, 2);
		sock_orphan(sk);
		KUNIT_EXPECT_TRUE(test, sock_flag(sk, SOCK_DEAD));
		KUNIT_EXPECT_NULL(test, sk->sk_socket);
		sock_hold(sk);
		sock_put(sk);
		KUNIT_EXPECT_EQ(test, nr_destroyed, 0);
		sock_put(sk);
		KUNIT_EXPECT_EQ(test, nr_destroyed, 1);
		proto_unregister(&proto);
	}
	KUNIT_EXPECT_EQ(test, sock_no_bind(&socket, NULL, 0), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, sock_no_mmap(NULL, &socket, NULL), -ENODEV);
}

static void test_families(struct kunit *test)
{
	struct net_proto_family family = { .family = 36 }, other = family;

	KUNIT_EXPECT_EQ(test, sock_register(&family), 0);
	KUNIT_EXPECT_EQ(test, sock_register(&other), -EEXIST);
	sock_unregister(36);
	KUNIT_EXPECT_EQ(test, sock_register(&other), 0);
	sock_unregister(36);
	other.family = AF_INET;
	KUNIT_EXPECT_EQ(test, sock_register(&other), -EEXIST);
	other.family = 46;
	KUNIT_EXPECT_EQ(test, sock_register(&other), -ENOBUFS);
}

/* A datagram from ::1 to ::1 whose sum is known: port 1 to port 2, 8 bytes, no data. */
static void test_ipv6_sums(struct kunit *test)
{
	struct in6_addr loopback = { .s6_addr = { [15] = 1 } };
	u8 datagram[8] = { 0, 1, 0, 2, 0, 8, 0, 0 };
	__sum16 sum = udp_v6_check(8, &loopback, &loopback, csum_partial(datagram, 8, 0));

	/* 1 + 1 of the addresses, 8 and 17 of the pseudo header, 1 + 2 + 8 of the datagram. */
	KUNIT_EXPECT_EQ(test, ntohs((__force __be16)sum), 0xffff - 38);
	memcpy(datagram + 6, &sum, 2);
	KUNIT_EXPECT_EQ(test, udp_v6_check(8, &loopback, &loopback, csum_partial(datagram, 8, 0)),
			0);
}

static void test_no_connection_is_tracked(struct kunit *test)
{
	struct sk_buff *skb = alloc_skb(64, GFP_KERNEL);
	enum ip_conntrack_info info = IP_CT_NEW;
	struct nf_conn ct = { .timeout = (u32)jiffies + 100 };

	KUNIT_ASSERT_NOT_NULL(test, skb);
	KUNIT_EXPECT_NULL(test, nf_ct_get(skb, &info));
	KUNIT_EXPECT_NE(test, info, IP_CT_NEW);
	kfree_skb(skb);
	KUNIT_EXPECT_EQ(test, nf_ct_expires(&ct) <= 100 && nf_ct_expires(&ct), 1);
	ct.timeout = (u32)jiffies - 5;
	KUNIT_EXPECT_EQ(test, nf_ct_expires(&ct), 0);
}

static struct kunit_case protocols_cases[] = {
	KUNIT_CASE(test_congestion_controls),
	KUNIT_CASE(test_steps_of_a_window),
	KUNIT_CASE(test_sockets_of_a_kind),
	KUNIT_CASE(test_families),
	KUNIT_CASE(test_ipv6_sums),
	KUNIT_CASE(test_no_connection_is_tracked),
	{}
};

static struct kunit_suite protocols_suite = {
	.name = "kernel_protocols", .test_cases = protocols_cases,
};
kunit_test_suite(protocols_suite);
