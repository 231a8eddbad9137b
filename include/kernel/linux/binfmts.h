/* SPDX-License-Identifier: MIT */
/* Formats of programs can be registered; no program is started by them. */
#ifndef KERNEL_LINUX_BINFMTS_H
#define KERNEL_LINUX_BINFMTS_H

#include <linux/fs.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/unistd.h>
#include_next <linux/binfmts.h>

struct linux_binprm {
	struct vm_area_struct *vma;
	struct mm_struct *mm;
	struct file *executable, *interpreter, *file;
	struct cred *cred;
	int argc, envc;
	const char *filename, *interp;
	char buf[256];
};

struct linux_binfmt {
	struct list_head lh;
	struct module *module;
	int (*load_binary)(struct linux_binprm *program);
	int (*load_shlib)(struct file *file);
};

#define register_binfmt(format) ((void)(format))
#define insert_binfmt(format) ((void)(format))
#define unregister_binfmt(format) ((void)(format))

#endif
