// SPDX-License-Identifier: MIT
/* Sockets that a module makes. Each one is a socket of the machine: see linux/net.h. */
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/net.h>
#include <linux/slab.h>
#include <net/sock.h>

static int result_of(long result)
{
	return result < 0 ? -errno : (int)result;
}

static int op_bind(struct socket *socket, struct sockaddr *address, int n)
{
	return result_of(bind(socket->usermm_fd, address, (socklen_t)n));
}

/*
 * Makes the descriptor one that does not wait, for a call that must not wait. Returns its former
 * flags.
 */
static int with_flags(struct socket *socket, int flags)
{
	int old = fcntl(socket->usermm_fd, F_GETFL);

	if (flags & O_NONBLOCK && !(old & O_NONBLOCK))
		fcntl(socket->usermm_fd, F_SETFL, old | O_NONBLOCK);
	return old;
}

static int op_connect(struct socket *socket, struct sockaddr *address, int n, int flags)
{
	int old = with_flags(socket, flags);
	int result = result_of(connect(socket->usermm_fd, address, (socklen_t)n));

	fcntl(socket->usermm_fd, F_SETFL, old);
	if (!result)
		socket->state = SS_CONNECTED;
	return result;
}

static int op_listen(struct socket *socket, int backlog)
{
	return result_of(listen(socket->usermm_fd, backlog));
}

static int op_shutdown(struct socket *socket, int how)
{
	return result_of(shutdown(socket->usermm_fd, how));
}

static int op_getname(struct socket *socket, struct sockaddr *address, int peer)
{
	socklen_t n = sizeof(struct sockaddr_storage);
	int error = peer ? getpeername(socket->usermm_fd, address, &n) :
			   getsockname(socket->usermm_fd, address, &n);

	return error ? -errno : (int)n;
}

static const struct proto_ops operations = {
	.bind = op_bind, .connect = op_connect, .listen = op_listen, .shutdown = op_shutdown,
	.getname = op_getname,
};

static int make_socket(int fd, int family, int type, struct socket **made)
{
	struct socket *socket = kzalloc(sizeof(*socket), GFP_KERNEL);

	if (socket)
		socket->sk = kzalloc(sizeof(*socket->sk), GFP_KERNEL);
	if (!socket || !socket->sk) {
		kfree(socket);
		close(fd);
		return -ENOMEM;
	}
	skb_queue_head_init(&socket->sk->sk_receive_queue);
	socket->usermm_fd = fd;
	socket->type = (short)type;
	socket->state = SS_UNCONNECTED;
	socket->ops = &operations;
	socket->sk->sk_socket = socket;
	socket->sk->sk_family = (unsigned short)family;
	socket->sk->sk_type = (unsigned short)type;
	*made = socket;
	return 0;
}

int sock_create_kern(struct net *net, int family, int type, int protocol, struct socket **made)
{
	int fd = socket(family, type | SOCK_CLOEXEC, protocol);

	(void)net;
	return fd < 0 ? -errno : make_socket(fd, family, type, made);
}

void sock_release(struct socket *socket)
{
	if (!socket)
		return;
	close(socket->usermm_fd);
	kfree(socket->sk);
	kfree(socket);
}

int kernel_bind(struct socket *socket, struct sockaddr *address, int n)
{
	return op_bind(socket, address, n);
}

int kernel_connect(struct socket *socket, struct sockaddr *address, int n, int flags)
{
	return op_connect(socket, address, n, flags);
}

int kernel_listen(struct socket *socket, int backlog)
{
	return op_listen(socket, backlog);
}

int kernel_accept(struct socket *socket, struct socket **new_socket, int flags)
{
	int old = with_flags(socket, flags);
	int fd = accept4(socket->usermm_fd, NULL, NULL, SOCK_CLOEXEC), error = errno;

	fcntl(socket->usermm_fd, F_SETFL, old);
	return fd < 0 ? -error : make_socket(fd, socket->sk->sk_family, socket->type, new_socket);
}

int kernel_getsockname(struct socket *socket, struct sockaddr *address)
{
	return op_getname(socket, address, 0);
}

int kernel_getpeername(struct socket *socket, struct sockaddr *address)
{
	return op_getname(socket, address, 1);
}

int kernel_sock_shutdown(struct socket *socket, int how)
{
	return op_shutdown(socket, how);
}

int sock_setsockopt(struct socket *socket, int level, int option, void *value, unsigned int n)
{
	return result_of(setsockopt(socket->usermm_fd, level, option, value, n));
}

int kernel_sendmsg(struct socket *socket, struct msghdr *message, struct kvec *pieces, size_t nr,
		   size_t n)
{
	(void)n;
	message->msg_iov = (struct iovec *)pieces;
	message->msg_iovlen = nr;
	return result_of(sendmsg(socket->usermm_fd, message, message->msg_flags | MSG_NOSIGNAL));
}

int kernel_recvmsg(struct socket *socket, struct msghdr *message, struct kvec *pieces, size_t nr,
		   size_t n, int flags)
{
	(void)n;
	message->msg_iov = (struct iovec *)pieces;
	message->msg_iovlen = nr;
	return result_of(recvmsg(socket->usermm_fd, message, flags));
}
