/* SPDX-License-Identifier: MIT */
/*
 * Whose struct rseq the threads of this process use.
 *
 * The kernel keeps one area for each thread, and the first registration wins.
 *
 * - libc knows rseq (glibc since 2.35): usermm uses libc's area, whatever its size. If libc was
 *   told not to register, or could not, nobody registers.
 * - libc does not know rseq (musl, older glibc): each thread registers an area of usermm's, in its
 *   static TLS, when it first comes to a slow path. If this is refused, because another library was
 *   first, the thread's slot index stays out of range: to every operation that is empty and full.
 *
 * The decision is made once for the process and is final.
 */
#ifndef PERCPU_RSEQ_REGISTRATION_H
#define PERCPU_RSEQ_REGISTRATION_H

#include "base/compiler.h"

enum rseq_owner { RSEQ_OWNER_NONE, RSEQ_OWNER_LIBC, RSEQ_OWNER_USERMM };

struct registration {
	enum rseq_owner owner;
	unsigned long area;		/* struct rseq minus thread pointer */
	unsigned int feature_bytes;	/* how many bytes of the area the kernel fills */
	unsigned int area_bytes;	/* registered size */
	const char *reason;		/* constant text: whose area, or why there is none */
};

/* Finds the area. Registers the calling thread if threads get areas of usermm's own. */
void registration_find(struct registration *registration);

/*
 * A quick check that the kernel maintains the calling thread's area. Returns NULL, or a constant
 * text that says what is wrong. nr_cpus: possible CPUs.
 */
const char *registration_check(const struct registration *registration, unsigned int nr_cpus);

/*
 * Registers the calling thread's own area, if the process uses such areas and the thread has not
 * tried yet. For slow paths, with or without a lock held. Never allocates.
 */
void registration_enter_thread(void);

/*
 * Registers the area again, for a thread whose memory was copied from a task that had no
 * registration (a vfork child that forked). False if the kernel refuses.
 */
bool registration_renew(const struct registration *registration);

/*
 * Ends the calling thread's registration for good. False if the area is not registered, or with
 * another size. For tests: afterwards no sequence of this thread is restarted.
 */
bool registration_end(const struct registration *registration);

#endif
