/* SPDX-License-Identifier: MIT */
/* Addresses and kinds of sockets are libc's; messages of the kernel's side are its own. */
#ifndef KERNEL_LINUX_SOCKET_H
#define KERNEL_LINUX_SOCKET_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <linux/uio.h>
/* The functions keep away: modules have their own bind(), accept() and so on. */
#ifndef _SYS_SOCKET_H
#define socket usermm_libc_socket
#define socketpair usermm_libc_socketpair
#define bind usermm_libc_bind
#define getsockname usermm_libc_getsockname
#define connect usermm_libc_connect
#define getpeername usermm_libc_getpeername
#define send usermm_libc_send
#define recv usermm_libc_recv
#define sendto usermm_libc_sendto
#define recvfrom usermm_libc_recvfrom
#define sendmsg usermm_libc_sendmsg
#define recvmsg usermm_libc_recvmsg
#define sendmmsg usermm_libc_sendmmsg
#define recvmmsg usermm_libc_recvmmsg
#define getsockopt usermm_libc_getsockopt
#define setsockopt usermm_libc_setsockopt
#define listen usermm_libc_listen
#define accept usermm_libc_accept
#define accept4 usermm_libc_accept4
#define shutdown usermm_libc_shutdown
#define sockatmark usermm_libc_sockatmark
#define isfdtype usermm_libc_isfdtype
#include <sys/socket.h>
#undef socket
#undef socketpair
#undef bind
#undef getsockname
#undef connect
#undef getpeername
#undef send
#undef recv
#undef sendto
#undef recvfrom
#undef sendmsg
#undef recvmsg
#undef sendmmsg
#undef recvmmsg
#undef getsockopt
#undef setsockopt
#undef listen
#undef accept
#undef accept4
#undef shutdown
#undef sockatmark
#undef isfdtype
#endif
#include_next <linux/socket.h>

/* struct msghdr is libc's, which has what modules set. */
#ifndef MSG_DONTWAIT
#define MSG_DONTWAIT 0x40
#endif

#endif
