/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_RSEQ_KNOWN_BUGS_H
#define PERCPU_RSEQ_KNOWN_BUGS_H

/*
 * Says whether this kernel's restartable sequences are known to be broken. machine: the processor
 * that the library is built for. release: uname(2)'s. Returns NULL, or a constant text that tells
 * what is wrong.
 */
const char *known_bugs_of_rseq(const char *machine, const char *release);

#endif
