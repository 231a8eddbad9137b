/* SPDX-License-Identifier: MIT */
/* Sockets of the kernel's side. Nobody is at the other end. */
#ifndef _SOCK_H
#define _SOCK_H

#include <linux/dev_printk.h>
#include <linux/file.h>
#include <linux/hashtable.h>
#include <linux/in.h>
#include <linux/ioport.h>
#include <linux/memcontrol.h>
#include <linux/net.h>
#include <linux/netdevice.h>
#include <linux/pid.h>
#include <linux/poll.h>
#include <linux/rculist_nulls.h>
#include <linux/skbuff.h>
#include <linux/uuid.h>
#include <net/net_namespace.h>
#include <usermm/compiler.h>

/* A kind of socket. A module can register its own; programs cannot make one. */
struct proto {
	char name[32];
	struct module *owner;
	unsigned int obj_size, useroffset, usersize;
	void (*close)(struct sock *sk, long timeout);
	int (*connect)(struct sock *sk, struct sockaddr *address, int n);
	int (*disconnect)(struct sock *sk, int flags);
	int (*init)(struct sock *sk);
	void (*destroy)(struct sock *sk);
	int (*setsockopt)(struct sock *sk, int level, int option, sockptr_t value,
			  unsigned int n);
	int (*getsockopt)(struct sock *sk, int level, int option, char __user *value,
			  int __user *n);
	int (*sendmsg)(struct sock *sk, struct msghdr *message, size_t n);
	int (*bind)(struct sock *sk, struct sockaddr *address, int n);
	int (*hash)(struct sock *sk);
	void (*unhash)(struct sock *sk);
	int (*get_port)(struct sock *sk, unsigned short number);
	struct kmem_cache *slab;
	struct list_head node;		/* Sync: families.c's lock */
};

struct sock {
	void *sk_user_data;
	struct sk_buff_head sk_receive_queue;
	int sk_protocol;
	unsigned short sk_family, sk_type;
	unsigned char sk_reuse, sk_state;
	int sk_rcvbuf, sk_sndbuf;
	gfp_t sk_allocation;
	long sk_rcvtimeo, sk_sndtimeo;
	__be16 sk_dport;
	__u16 sk_num;
	__be32 sk_daddr, sk_rcv_saddr;
	struct socket *sk_socket;
	struct proto *sk_prot;
	refcount_t sk_refcnt;
	unsigned long sk_flags;
	void (*sk_destruct)(struct sock *sk);
	void (*sk_data_ready)(struct sock *sk);
	void (*sk_state_change)(struct sock *sk);
	void (*sk_write_space)(struct sock *sk);
};

#define SK_CAN_REUSE 1

enum sock_flags { SOCK_DEAD, SOCK_DONE, SOCK_URGINLINE, SOCK_KEEPOPEN, SOCK_LINGER, SOCK_ZAPPED };

USERMM_BEGIN_DECLS

/* 0; -ENOMEM for objects that no cache can be made for. */
int proto_register(struct proto *proto, int needs_cache) USERMM_API(proto_register);
void proto_unregister(struct proto *proto) USERMM_API(proto_unregister);
/* A socket of this kind, zeroed, of one user; NULL without memory. */
struct sock *usermm_sk_alloc(int family, gfp_t gfp, struct proto *proto)
	__attribute__((visibility("default")));
void sk_free(struct sock *sk) USERMM_API(sk_free);
/* Joins both; the socket may be NULL. */
void sock_init_data(struct socket *socket, struct sock *sk) USERMM_API(sock_init_data);
/* Sockets of the kernel's own, without sk_alloc(), are not counted. */
void sock_hold(struct sock *sk) USERMM_API(sock_hold);
void sock_put(struct sock *sk) USERMM_API(sock_put);

/* -EOPNOTSUPP: what a kind of socket does not do. */
int sock_no_bind(struct socket *socket, struct sockaddr *address, int n) USERMM_API(sock_no_bind);
int sock_no_connect(struct socket *socket, struct sockaddr *address, int n, int flags)
	USERMM_API(sock_no_connect);
int sock_no_socketpair(struct socket *one, struct socket *other) USERMM_API(sock_no_socketpair);
int sock_no_accept(struct socket *socket, struct socket *new_socket, void *how)
	USERMM_API(sock_no_accept);
int sock_no_getname(struct socket *socket, struct sockaddr *address, int peer)
	USERMM_API(sock_no_getname);
int sock_no_ioctl(struct socket *socket, unsigned int command, unsigned long argument)
	USERMM_API(sock_no_ioctl);
int sock_no_listen(struct socket *socket, int backlog) USERMM_API(sock_no_listen);
int sock_no_shutdown(struct socket *socket, int how) USERMM_API(sock_no_shutdown);
int sock_no_sendmsg(struct socket *socket, struct msghdr *message, size_t n)
	USERMM_API(sock_no_sendmsg);
int sock_no_recvmsg(struct socket *socket, struct msghdr *message, size_t n, int flags)
	USERMM_API(sock_no_recvmsg);
int sock_no_mmap(struct file *file, struct socket *socket, struct vm_area_struct *vma)
	USERMM_API(sock_no_mmap);

USERMM_END_DECLS

#define sk_alloc(net, family, gfp, proto, kern) \
	((void)(net), (void)(kern), usermm_sk_alloc(family, gfp, proto))
#define sock_set_flag(sk, flag) __set_bit(flag, &(sk)->sk_flags)
#define sock_reset_flag(sk, flag) __clear_bit(flag, &(sk)->sk_flags)
#define sock_flag(sk, flag) test_bit(flag, &(sk)->sk_flags)
#define sock_net(sk) ((void)(sk), &init_net)

static inline void sock_orphan(struct sock *sk)
{
	sock_set_flag(sk, SOCK_DEAD);
	sk->sk_socket = NULL;
}

static inline void sock_graft(struct sock *sk, struct socket *parent)
{
	sk->sk_socket = parent;
	parent->sk = sk;
}

#define lock_sock(sk) ((void)(sk))
#define release_sock(sk) ((void)(sk))
#define sock_set_reuseaddr(sk) ((void)((sk)->sk_reuse = SK_CAN_REUSE))
#define sock_no_linger(sk) ((void)(sk))
#define tcp_sock_set_nodelay(sk) ((void)(sk))

#endif
