/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_RSEQ_KNOWN_BUGS_H
#define PERCPU_RSEQ_KNOWN_BUGS_H

/*
 * Kernels whose restartable sequences are known not to hold. machine is the one that
 * the library is built for, release is uname(2)'s. NULL, or a constant text that says
 * what is wrong with it.
 */
const char *known_bugs_of_rseq(const char *machine, const char *release);

#endif
