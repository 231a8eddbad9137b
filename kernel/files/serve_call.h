/* SPDX-License-Identifier: MIT */
/*
 * One call of a program: what it asks for, and the memory and the rights it is carried out with.
 * serve.c takes calls and gives each a thread; that thread calls these functions.
 */
#ifndef KERNEL_FILES_SERVE_CALL_H
#define KERNEL_FILES_SERVE_CALL_H

#include "files.h"
#include "wire.h"

struct served {
	struct user_memory user;	/* the caller's memory, by messages to the caller */
	struct wire_call wire;
	char path[WIRE_PATH];
	int fd;			/* the call's socket */
	struct file *opened;	/* by WIRE_OPEN */
};

/* Completes what was received: strings end, and `user` works. */
void served_begin(struct served *call);
/*
 * Gives the calling thread's task the caller's rights until the thread ends. Without memory the
 * task has none at all.
 */
void served_take_rights(const struct wire_call *wire);
/* Carries the call out on the connection's file, NULL if none is open. A result or -errno. */
long served_carry_out(struct served *call, struct file *file);
/* For WIRE_MAP: PROT_ and MAP_ of mmap(). */
int served_protection(const struct served *call);
int served_flags(const struct served *call);
/*
 * Asks the calling process to map this part of the pages' memory at the address, which is one of
 * the process's. 0, -ENOMEM if the process cannot, or -EIO if the process is gone.
 */
long served_show(const struct served *call, unsigned long address, unsigned long bytes,
		 unsigned long offset);
/* mmap.c: maps the file. Returns the new area's number, for file_unmap(), or a negative errno. */
long file_map(struct served *call, struct file *file);
long file_unmap(struct file *file, long number);
/* Sends the result. Afterwards the caller may go on, and close the file. */
void served_answer(const struct served *call, long result);

#endif
