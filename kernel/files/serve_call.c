// SPDX-License-Identifier: MIT
/* What one call of a program does: see serve_call.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <linux/cred.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/poll.h>
#include <linux/uaccess.h>

#include "memory/views.h"
#include "module/security.h"
#include "sched/context.h"
#include "files.h"
#include "serve_call.h"

/* Copies from and to the caller. */

static bool send_request(const struct served *call, struct wire_request request, const void *data)
{
	struct iovec pieces[2] = {
		{ &request, sizeof(request) },
		{ (void *)data, request.kind == WIRE_WRITE ? request.bytes : 0 },
	};
	struct msghdr message = { .msg_iov = pieces, .msg_iovlen = 2 };

	return sendmsg(call->fd, &message, MSG_NOSIGNAL) >= 0;
}

/* How many bytes the caller copied. */
static unsigned long receive_answer(const struct served *call, void *data, unsigned long n)
{
	struct wire_answer answer;
	struct iovec pieces[2] = { { &answer, sizeof(answer) }, { data, n } };
	struct msghdr message = { .msg_iov = pieces, .msg_iovlen = data ? 2 : 1 };
	ssize_t got;

	do
		got = recvmsg(call->fd, &message, 0);
	while (got < 0 && errno == EINTR);
	if (got < (ssize_t)sizeof(answer) || answer.bytes > n)
		return 0;
	return answer.bytes;
}

static unsigned long copy_piece(const struct served *call, unsigned int kind, void *data,
				unsigned long address, unsigned long n)
{
	struct wire_request request = {
		.kind = kind, .bytes = (uint32_t)n, .address = address,
	};

	if (!send_request(call, request, data))
		return 0;
	return receive_answer(call, kind == WIRE_READ ? data : NULL, n);
}

/* A piece that cannot be copied is tried page by page, so that the bytes in front of a hole are. */
static unsigned long copy(const struct served *call, unsigned int kind, void *data,
			  unsigned long address, unsigned long n)
{
	while (n) {
		unsigned long piece = min(n, (unsigned long)WIRE_PIECE);
		unsigned long to_page = PAGE_SIZE - address % PAGE_SIZE;

		if (copy_piece(call, kind, data, address, piece) != piece) {
			piece = min(piece, to_page);
			if (copy_piece(call, kind, data, address, piece) != piece)
				break;
		}
		data = (char *)data + piece;
		address += piece;
		n -= piece;
	}
	return n;
}

static unsigned long read_user(struct user_memory *user, void *to, unsigned long from,
			       unsigned long n)
{
	return copy(container_of(user, struct served, user), WIRE_READ, to, from, n);
}

static unsigned long write_user(struct user_memory *user, unsigned long to, const void *from,
				unsigned long n)
{
	return copy(container_of(user, struct served, user), WIRE_WRITE, (void *)from, to, n);
}

/* Memory for mmap(). */

int served_protection(const struct served *call)
{
	return (int)(call->wire.arguments[2] & 0xffffffff);
}

int served_flags(const struct served *call)
{
	return (int)(call->wire.arguments[2] >> 32);
}

long served_show(const struct served *call, unsigned long address, unsigned long bytes,
		 unsigned long offset)
{
	struct wire_request request = {
		.kind = WIRE_SHOW, .bytes = (uint32_t)bytes, .address = address,
		.result = (int64_t)offset, .protection = served_protection(call),
		.flags = served_flags(call),
	};
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { .header = {
		.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET,
		.cmsg_type = SCM_RIGHTS,
	} };
	struct iovec piece = { &request, sizeof(request) };
	struct msghdr message = {
		.msg_iov = &piece, .msg_iovlen = 1, .msg_control = &control,
		.msg_controllen = sizeof(control.bytes),
	};
	int fd = views_descriptor();

	memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	if (sendmsg(call->fd, &message, MSG_NOSIGNAL) < 0)
		return -EIO;
	return receive_answer(call, NULL, bytes) == bytes ? 0 : -ENOMEM;
}

/* What a call does. */

static long call_open(struct served *call, struct file *file)
{
	struct file_node *node = node_find(call->path);

	if (!node)
		return -ENOENT;
	if (file)
		return -EINVAL;
	file = file_open(node, (unsigned int)call->wire.arguments[0]);
	if (IS_ERR(file))
		return PTR_ERR(file);
	call->opened = file;
	return 0;
}

static long send_stat(struct served *call, struct file_node *node)
{
	const struct path path = { .dentry = &node->dentry };
	const struct inode *inode = &node->inode;
	int error = security_inode_getattr(&path);
	struct wire_stat stat = {
		.mode = inode->i_mode, .links = inode->i_nlink, .uid = inode->i_uid.val,
		.gid = inode->i_gid.val, .major = MAJOR(inode->i_rdev),
		.minor = MINOR(inode->i_rdev), .inode = inode->i_ino, .size = inode->i_size,
	};
	void *to = (void *)(unsigned long)call->wire.arguments[3];

	if (error)
		return error;
	return copy_to_user(to, &stat, sizeof(stat)) ? -EFAULT : 0;
}

static long call_stat(struct served *call)
{
	struct file_node *node = node_find(call->path);

	return node ? send_stat(call, node) : -ENOENT;
}

/* Only for devices of the module. The node stays until it is removed or the run ends. */
static long call_mknod(struct served *call)
{
	umode_t mode = (umode_t)call->wire.arguments[0];
	dev_t number = MKDEV((dev_t)call->wire.arguments[1], (dev_t)call->wire.arguments[2]);
	struct file_node *folder, *node;
	char *name = strrchr(call->path, '/');
	int error;

	if (!S_ISCHR(mode) || !device_has_driver(number))
		return -EOPNOTSUPP;
	if (!capable(CAP_MKNOD))
		return -EPERM;
	if (!name)
		return -EINVAL;
	*name++ = '\0';
	folder = node_base(*call->path ? call->path : "/");
	if (!folder)
		return -ENOMEM;
	error = security_mknod(&folder->dentry, name, mode, number);
	if (error)
		return error;
	node = node_create_device(folder, name, mode, number);
	if (IS_ERR(node))
		return PTR_ERR(node);
	files_lock();
	node->is_base = true;
	files_unlock();
	return 0;
}

/* The folder of the path, whose last name is cut off; NULL if it is none of the module's. */
static struct file_node *split(char *path, char **name)
{
	*name = strrchr(path, '/');
	if (!*name)
		return NULL;
	*(*name)++ = '\0';
	return node_find(path);
}

static long call_mkdir(struct served *call)
{
	struct file_node *folder;
	char *name;
	int error;

	folder = split(call->path, &name);
	if (!folder || !folder->calls)
		return -EOPNOTSUPP;
	error = security_mkdir(&folder->dentry, name, S_IFDIR | 0755);
	return error ? error : folder->calls->make(folder, name);
}

static long call_rmdir(struct served *call)
{
	struct file_node *folder = node_find(call->path);

	int error;

	if (!folder || !folder->calls)
		return -EOPNOTSUPP;
	error = security_rmdir(&folder->dentry);
	return error ? error : folder->calls->remove(folder);
}

static long call_transfer(struct served *call, struct file *file, bool reads)
{
	void *buffer = (void *)(unsigned long)call->wire.arguments[0];
	size_t n = (size_t)call->wire.arguments[1];
	loff_t pos = call->wire.arguments[2], *own = pos >= 0 ? &pos : NULL;

	return reads ? file_read(file, buffer, n, own) : file_write(file, buffer, n, own);
}

static long call_file(struct served *call, struct file *file)
{
	const int64_t *arguments = call->wire.arguments;

	switch (call->wire.operation) {
	case WIRE_FILE_STAT:
		return send_stat(call, node_of(file));
	case WIRE_TRANSFER_READ:
		return call_transfer(call, file, true);
	case WIRE_TRANSFER_WRITE:
		return call_transfer(call, file, false);
	case WIRE_SEEK:
		return file_seek(file, arguments[0], (int)arguments[1]);
	case WIRE_IOCTL:
		return file_ioctl(file, (unsigned int)arguments[0], (unsigned long)arguments[1]);
	case WIRE_POLL:
		return (long)file_wait(file, (__poll_t)arguments[0], arguments[1]);
	case WIRE_CAN_POLL:
		return file_takes_epoll(file) ? 0 : -EPERM;
	case WIRE_MAP:
		return file_map(call, file);
	case WIRE_UNMAP:
		return file_unmap(file, (long)arguments[0]);
	case WIRE_FSYNC:
		return file_fsync(file);
	case WIRE_GET_FLAGS:
		return (long)READ_ONCE(file->f_flags);
	case WIRE_SET_FLAGS:
		return file_set_flags(file, (unsigned int)arguments[0]);
	case WIRE_SET_OWNER:
		file->usermm_owner = (int)arguments[0];
		file->usermm_owner_started = usermm_program_started(abs(file->usermm_owner));
		return 0;
	case WIRE_GET_OWNER:
		return file->usermm_owner;
	}
	return -ENOSYS;
}

long served_carry_out(struct served *call, struct file *file)
{
	switch (call->wire.operation) {
	case WIRE_OPEN:
		return call_open(call, file);
	case WIRE_STAT:
		return call_stat(call);
	case WIRE_MKNOD:
		return call_mknod(call);
	case WIRE_MKDIR:
		return call_mkdir(call);
	case WIRE_RMDIR:
		return call_rmdir(call);
	}
	return file ? call_file(call, file) : -EBADF;
}

void served_take_rights(const struct wire_call *wire)
{
	static struct cred nobody = {
		.usage = REFCOUNT_INIT(1), .uid = { 65534 }, .euid = { 65534 },
		.fsuid = { 65534 }, .user_ns = &init_user_ns,
	};
	struct cred *cred = prepare_kernel_cred(&init_task);

	if (!cred) {
		commit_creds((struct cred *)get_cred(&nobody));
		return;
	}
	cred->uid = cred->euid = cred->suid = cred->fsuid = KUIDT_INIT(wire->uid);
	cred->gid = cred->egid = cred->sgid = cred->fsgid = KGIDT_INIT(wire->gid);
	/* The user who runs the module has root's rights: only root loads one into Linux. */
	if (wire->uid && wire->uid != geteuid())
		cred->cap_effective = cred->cap_permitted = CAP_EMPTY_SET;
	commit_creds(cred);
}

void served_begin(struct served *call)
{
	call->user = (struct user_memory){ .read = read_user, .write = write_user };
	call->wire.comm[sizeof(call->wire.comm) - 1] = '\0';
	call->path[WIRE_PATH - 1] = '\0';
}

void served_answer(const struct served *call, long result)
{
	send_request(call, (struct wire_request){ .kind = WIRE_RESULT, .result = result }, NULL);
}
