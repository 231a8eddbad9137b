/* SPDX-License-Identifier: MIT */
/*
 * What the module's process and the library in programs (preload/) say to one another.
 *
 * The module's process listens at SOCKET_NAME in the folder of FILES_VARIABLE. Each open file of a
 * program is a connection to it: so the file lives as long as a descriptor of it, in whatever
 * process, and is shared and inherited as any other file.
 *
 * Each call is one message with a struct wire_call on the connection, and has a socket of its own
 * for what follows. This goes with the message. So threads and processes that share a file do not
 * meet. The module's process asks for copies of the caller's memory (WIRE_READ, WIRE_WRITE), and
 * last sends WIRE_RESULT. A caller that gets a signal shuts its side for writing, and goes on
 * waiting; a caller that is gone has closed it. Sockets are of the kind SOCK_SEQPACKET, and each
 * message is received whole.
 */
#ifndef KERNEL_FILES_WIRE_H
#define KERNEL_FILES_WIRE_H

#include <stdint.h>

/* The folder with the placeholders, and with the socket. */
#define FILES_VARIABLE "USERMM_MODULE_FILES"
/* The library that programs preload. */
#define PRELOAD_VARIABLE "USERMM_MODULE_PRELOAD"
#define SOCKET_NAME "/.socket"

#define WIRE_MAGIC 0x75736d6dU		/* "usmm" */
#define WIRE_PIECE 32768		/* bytes of memory in one message, at most */
#define WIRE_PATH 4096

enum wire_operation {
	WIRE_OPEN,		/* arguments: flags. With a path */
	WIRE_STAT,		/* with a path; answers in struct wire_stat */
	WIRE_MKNOD,		/* mode, major, minor. With a path */
	WIRE_MKDIR,		/* with a path, as the next */
	WIRE_RMDIR,
	WIRE_FILE_STAT,		/* of the connection's file */
	WIRE_TRANSFER_READ,	/* address, bytes, position or -1 */
	WIRE_TRANSFER_WRITE,	/* address, bytes, position or -1 */
	WIRE_SEEK,		/* offset, whence */
	WIRE_IOCTL,		/* command, argument */
	WIRE_POLL,		/* events, 1 to wait for one */
	WIRE_CAN_POLL,		/* may the file be in a set of epoll? 0 or -EPERM */
	WIRE_MAP,		/* address, bytes, PROT_ and MAP_ << 32, offset; its number */
	WIRE_UNMAP,		/* number */
	WIRE_FSYNC,
	WIRE_GET_FLAGS,
	WIRE_SET_FLAGS,		/* flags */
	WIRE_SET_OWNER,		/* process */
	WIRE_GET_OWNER,
	WIRE_OPERATIONS,
};

struct wire_call {
	uint32_t magic;
	uint32_t operation;
	int32_t pid, tid;
	uint32_t uid, gid;
	char comm[16];
	int64_t arguments[4];
	uint32_t path_bytes;	/* of the path that follows, with its end; 0: none */
	uint32_t padding;
};

enum wire_kind { WIRE_RESULT, WIRE_READ, WIRE_WRITE, WIRE_SHOW };

/*
 * From the module's process. WIRE_WRITE: `bytes` bytes follow. WIRE_SHOW: a descriptor of memory
 * goes with it, which the program maps from the offset `result` on, with these PROT_ and MAP_.
 */
struct wire_request {
	uint32_t kind;
	uint32_t bytes;
	uint64_t address;
	int64_t result;		/* 0 or more, or -errno */
	int32_t protection, flags;
};

/* From the program: how much it copied, all or nothing. After WIRE_READ the bytes follow. */
struct wire_answer {
	uint32_t bytes;
	uint32_t padding;
};

/* What WIRE_STAT and WIRE_FILE_STAT write to the caller's address in arguments[3]. */
struct wire_stat {
	uint32_t mode, links, uid, gid;
	uint32_t major, minor;
	uint64_t inode;
	int64_t size;
};

#endif
