/* SPDX-License-Identifier: MIT */
/* Open files of a task. They are not shown: every task has the same table, which is empty. */
#ifndef __LINUX_FDTABLE_H
#define __LINUX_FDTABLE_H

#include <linux/file.h>
#include <linux/fs.h>
#include <linux/nospec.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#define NR_OPEN_DEFAULT BITS_PER_LONG

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
	unsigned long *close_on_exec, *open_fds;
};

struct files_struct {
	atomic_t count;
	struct fdtable *fdt, fdtab;
	spinlock_t file_lock;
	unsigned int next_fd;
	unsigned long close_on_exec_init[1], open_fds_init[1];
	struct file *fd_array[NR_OPEN_DEFAULT];
};

#define files_fdtable(files) ((files)->fdt)

static inline struct file *files_lookup_fd_raw(struct files_struct *files, unsigned int fd)
{
	struct fdtable *table = files ? files_fdtable(files) : NULL;

	return table && fd < table->max_fds ? table->fd[fd] : NULL;
}

#define files_lookup_fd_rcu(files, fd) files_lookup_fd_raw(files, fd)
#define fcheck_files(files, fd) files_lookup_fd_raw(files, fd)

#endif
