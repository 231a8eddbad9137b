// SPDX-License-Identifier: MIT
/*
 * Kinds and families of sockets that modules register. Programs cannot make such a socket: their
 * calls go to the machine. cf. Linux net/core/sock.c and net/socket.c.
 */
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <net/sock.h>

#define NR_FAMILIES 46

static DEFINE_MUTEX(lock);
static LIST_HEAD(protos);				/* Sync: lock */
static const struct net_proto_family *families[NR_FAMILIES];	/* Sync: lock */

int proto_register(struct proto *proto, int needs_cache)
{
	if (needs_cache) {
		proto->slab = kmem_cache_create(proto->name, proto->obj_size, 0,
						SLAB_HWCACHE_ALIGN, NULL);
		if (!proto->slab) {
			pr_crit("%s: Can't create sock SLAB cache!\n", proto->name);
			return -ENOMEM;
		}
	}
	mutex_lock(&lock);
	list_add(&proto->node, &protos);
	mutex_unlock(&lock);
	return 0;
}

void proto_unregister(struct proto *proto)
{
	mutex_lock(&lock);
	list_del_init(&proto->node);
	mutex_unlock(&lock);
	kmem_cache_destroy(proto->slab);
	proto->slab = NULL;
}

struct sock *usermm_sk_alloc(int family, gfp_t gfp, struct proto *proto)
{
	size_t size = max_t(size_t, proto->obj_size, sizeof(struct sock));
	struct sock *sk = proto->slab ? kmem_cache_zalloc(proto->slab, gfp) : kzalloc(size, gfp);

	if (!sk)
		return NULL;
	sk->sk_prot = proto;
	sk->sk_family = (unsigned short)family;
	refcount_set(&sk->sk_refcnt, 1);
	skb_queue_head_init(&sk->sk_receive_queue);
	return sk;
}

void sk_free(struct sock *sk)
{
	if (sk->sk_destruct)
		sk->sk_destruct(sk);
	skb_queue_purge(&sk->sk_receive_queue);
	if (sk->sk_prot->slab)
		kmem_cache_free(sk->sk_prot->slab, sk);
	else
		kfree(sk);
}

void sock_init_data(struct socket *socket, struct sock *sk)
{
	skb_queue_head_init(&sk->sk_receive_queue);
	sk->sk_allocation = GFP_KERNEL;
	sk->sk_rcvbuf = sk->sk_sndbuf = 212992;
	sk->sk_rcvtimeo = sk->sk_sndtimeo = MAX_SCHEDULE_TIMEOUT;
	sk->sk_state = 7;		/* closed */
	sock_set_flag(sk, SOCK_ZAPPED);
	sk->sk_socket = socket;
	if (socket) {
		sk->sk_type = (unsigned short)socket->type;
		socket->sk = sk;
	}
}

void sock_hold(struct sock *sk)
{
	if (sk->sk_prot)
		refcount_inc(&sk->sk_refcnt);
}

void sock_put(struct sock *sk)
{
	if (sk->sk_prot && refcount_dec_and_test(&sk->sk_refcnt))
		sk_free(sk);
}

/* Those that a usual machine has: unix, inet, inet6, netlink and packet. */
static bool is_of_machine(int family)
{
	return family == 1 || family == 2 || family == 10 || family == 16 || family == 17;
}

int sock_register(const struct net_proto_family *family)
{
	int error = -EEXIST;

	if (family->family < 0 || family->family >= NR_FAMILIES) {
		pr_crit("protocol %d >= NPROTO(%d)\n", family->family, NR_FAMILIES);
		return -ENOBUFS;
	}
	mutex_lock(&lock);
	if (!families[family->family] && !is_of_machine(family->family)) {
		families[family->family] = family;
		error = 0;
	}
	mutex_unlock(&lock);
	return error;
}

void sock_unregister(int family)
{
	BUG_ON(family < 0 || family >= NR_FAMILIES);
	mutex_lock(&lock);
	families[family] = NULL;
	mutex_unlock(&lock);
}

int sock_no_bind(struct socket *socket, struct sockaddr *address, int n)
{
	(void)socket;
	(void)address;
	(void)n;
	return -EOPNOTSUPP;
}

int sock_no_connect(struct socket *socket, struct sockaddr *address, int n, int flags)
{
	(void)flags;
	return sock_no_bind(socket, address, n);
}

int sock_no_socketpair(struct socket *one, struct socket *other)
{
	(void)other;
	return sock_no_bind(one, NULL, 0);
}

int sock_no_accept(struct socket *socket, struct socket *new_socket, void *how)
{
	(void)how;
	return sock_no_socketpair(socket, new_socket);
}

int sock_no_getname(struct socket *socket, struct sockaddr *address, int peer)
{
	return sock_no_bind(socket, address, peer);
}

int sock_no_ioctl(struct socket *socket, unsigned int command, unsigned long argument)
{
	(void)command;
	(void)argument;
	return sock_no_bind(socket, NULL, 0);
}

int sock_no_listen(struct socket *socket, int backlog)
{
	return sock_no_bind(socket, NULL, backlog);
}

int sock_no_shutdown(struct socket *socket, int how)
{
	return sock_no_bind(socket, NULL, how);
}

int sock_no_sendmsg(struct socket *socket, struct msghdr *message, size_t n)
{
	(void)message;
	(void)n;
	return sock_no_bind(socket, NULL, 0);
}

int sock_no_recvmsg(struct socket *socket, struct msghdr *message, size_t n, int flags)
{
	(void)flags;
	return sock_no_sendmsg(socket, message, n);
}

/* A mapping asks whether there may be one: -ENODEV. */
int sock_no_mmap(struct file *file, struct socket *socket, struct vm_area_struct *vma)
{
	(void)file;
	(void)socket;
	(void)vma;
	return -ENODEV;
}
