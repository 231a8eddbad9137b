/* SPDX-License-Identifier: MIT */
/*
 * Whose struct rseq the threads of this process have.
 *
 * The kernel keeps one area a thread, and the first registration wins. libc's is
 * used wherever libc keeps one (glibc since 2.35), whatever its size; if libc was
 * told not to register, or could not, nobody does. Where libc knows nothing of
 * rseq (musl, older glibc) each thread registers an area of ours, in its static
 * TLS, when it first comes to a slow path. A thread whose registration is refused,
 * since another library was there first, is left alone: its slot index stays out
 * of range, which every operation takes for empty and full.
 *
 * The decision is made once for the process and not taken back.
 */
#ifndef PERCPU_RSEQ_REGISTRATION_H
#define PERCPU_RSEQ_REGISTRATION_H

#include "base/compiler.h"

enum rseq_owner { RSEQ_OWNER_NONE, RSEQ_OWNER_LIBC, RSEQ_OWNER_USERMM };

struct registration {
	enum rseq_owner owner;
	unsigned long area;		/* struct rseq minus thread pointer */
	unsigned int feature_bytes;	/* so much of it the kernel fills */
	unsigned int area_bytes;	/* so much of it is registered */
	const char *reason;		/* constant text: whose it is, or why there is none */
};

/* Finds the area, and registers the calling thread where that is our part. */
void registration_find(struct registration *registration);

/*
 * A quick look at whether the kernel keeps its side for the calling thread: NULL,
 * or a constant text that says what is wrong. nr_cpus: possible CPUs.
 */
const char *registration_check(const struct registration *registration, unsigned int nr_cpus);

/*
 * Registers the calling thread with our area if that is needed and has not been
 * tried. For slow paths, with no lock held or with one; it never allocates.
 */
void registration_enter_thread(void);

/*
 * Makes sure that the kernel keeps the area for the calling thread, which copied it
 * from a task for which it did not. False if it refuses.
 */
bool registration_renew(const struct registration *registration);

/*
 * Takes the area from the kernel for the calling thread, for good. False if the kernel does not
 * keep it, or keeps it with another size. For tests: no sequence of this thread is restarted
 * afterwards.
 */
bool registration_end(const struct registration *registration);

#endif
