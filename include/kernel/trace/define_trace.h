/* SPDX-License-Identifier: MIT */
/*
 * Ends the header of a group of trace events. The kernel makes their code from here on;
 * nothing is traced, so there is none. (Without a guard: each group includes it.)
 */
