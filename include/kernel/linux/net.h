/* SPDX-License-Identifier: MIT */
/*
 * Sockets of the kernel's side. They are the machine's, with the rights of this process: what a
 * module sends does arrive, and errors are the machine's.
 */
#ifndef _LINUX_NET_H
#define _LINUX_NET_H

#include <asm/msr.h>
#include <linux/errno.h>
#include <linux/hash.h>
#include <linux/kdev_t.h>
#include <linux/list_nulls.h>
#include <linux/migrate_mode.h>
#include <linux/nodemask.h>
#include <linux/printk.h>
#include <linux/sizes.h>
#include <linux/sockptr.h>
#include <linux/socket.h>
#include <linux/stacktrace.h>
#include <linux/time64.h>
#include <linux/uio.h>
#include <linux/workqueue_types.h>
#include <usermm/compiler.h>

#define net_err_ratelimited(fmt, ...) pr_err_ratelimited(fmt, ##__VA_ARGS__)
#define net_warn_ratelimited(fmt, ...) pr_warn_ratelimited(fmt, ##__VA_ARGS__)
#define net_info_ratelimited(fmt, ...) pr_info_ratelimited(fmt, ##__VA_ARGS__)
#define net_dbg_ratelimited(fmt, ...) pr_debug_ratelimited(fmt, ##__VA_ARGS__)

struct net;
struct file;
struct msghdr;
struct poll_table_struct;
struct proto_ops;
struct vm_area_struct;
struct sock;

typedef enum { SS_FREE, SS_UNCONNECTED, SS_CONNECTING, SS_CONNECTED } socket_state;

struct socket {
	socket_state state;
	short type;
	unsigned long flags;
	struct file *file;		/* NULL: no descriptor of a program */
	struct sock *sk;
	const struct proto_ops *ops;
	int usermm_fd;
};

struct proto_ops {
	int family;
	struct module *owner;
	int (*bind)(struct socket *socket, struct sockaddr *address, int n);
	int (*connect)(struct socket *socket, struct sockaddr *address, int n, int flags);
	int (*accept)(struct socket *socket, struct socket *new_socket, void *how);
	int (*listen)(struct socket *socket, int backlog);
	int (*shutdown)(struct socket *socket, int how);
	int (*getname)(struct socket *socket, struct sockaddr *address, int peer);
	int (*release)(struct socket *socket);
	int (*socketpair)(struct socket *one, struct socket *other);
	__poll_t (*poll)(struct file *file, struct socket *socket,
			 struct poll_table_struct *table);
	int (*ioctl)(struct socket *socket, unsigned int command, unsigned long argument);
	int (*setsockopt)(struct socket *socket, int level, int option, sockptr_t value,
			  unsigned int n);
	int (*getsockopt)(struct socket *socket, int level, int option, char __user *value,
			  int __user *n);
	int (*sendmsg)(struct socket *socket, struct msghdr *message, size_t n);
	int (*recvmsg)(struct socket *socket, struct msghdr *message, size_t n, int flags);
	int (*mmap)(struct file *file, struct socket *socket, struct vm_area_struct *vma);
};

/* A family of sockets. A module can register its own; programs cannot make one. */
struct net_proto_family {
	int family;
	int (*create)(struct net *net, struct socket *socket, int protocol, int kern);
	struct module *owner;
};

USERMM_BEGIN_DECLS

/* 0; -ENOBUFS for no number of a family; -EEXIST for one that is taken. */
int sock_register(const struct net_proto_family *family) USERMM_API(sock_register);
void sock_unregister(int family) USERMM_API(sock_unregister);

/* 0 or the machine's -errno. Everything but sock_release() may sleep. */
int sock_create_kern(struct net *net, int family, int type, int protocol, struct socket **socket)
	USERMM_API(sock_create_kern);
/* NULL has no effect. */
void sock_release(struct socket *socket) USERMM_API(sock_release);
int kernel_bind(struct socket *socket, struct sockaddr *address, int n) USERMM_API(kernel_bind);
int kernel_connect(struct socket *socket, struct sockaddr *address, int n, int flags)
	USERMM_API(kernel_connect);
int kernel_listen(struct socket *socket, int backlog) USERMM_API(kernel_listen);
/* flags: O_NONBLOCK does not wait. */
int kernel_accept(struct socket *socket, struct socket **new_socket, int flags)
	USERMM_API(kernel_accept);
int kernel_getsockname(struct socket *socket, struct sockaddr *address)
	USERMM_API(kernel_getsockname);
int kernel_getpeername(struct socket *socket, struct sockaddr *address)
	USERMM_API(kernel_getpeername);
int kernel_sock_shutdown(struct socket *socket, int how) USERMM_API(kernel_sock_shutdown);
int sock_setsockopt(struct socket *socket, int level, int option, void *value, unsigned int n)
	USERMM_API(sock_setsockopt);
/* The number of bytes. */
int kernel_sendmsg(struct socket *socket, struct msghdr *message, struct kvec *pieces, size_t nr,
		   size_t n) USERMM_API(kernel_sendmsg);
int kernel_recvmsg(struct socket *socket, struct msghdr *message, struct kvec *pieces, size_t nr,
		   size_t n, int flags) USERMM_API(kernel_recvmsg);

USERMM_END_DECLS

#define sock_create(family, type, protocol, socket) \
	sock_create_kern(NULL, family, type, protocol, socket)
#define sock_create_lite(family, type, protocol, socket) \
	sock_create_kern(NULL, family, type, protocol, socket)
#define kernel_setsockopt(socket, level, option, value, n) \
	sock_setsockopt(socket, level, option, value, n)
#define sockfd_lookup(fd, error) ((void)(fd), *(error) = -EBADF, (struct socket *)NULL)
#define sockfd_put(socket) ((void)(socket))

#endif
