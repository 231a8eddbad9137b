// SPDX-License-Identifier: MIT
/*
 * loads.c tells remote_lines.c when to count, by stores to a page at an address that nothing else
 * uses: to its first byte at the start of a load, to its second at the end.
 */
#ifndef THREADS_GATE_H
#define THREADS_GATE_H

#define GATE_ADDRESS 0x5ea700000000UL
#define GATE_OPEN (GATE_ADDRESS + 0)
#define GATE_CLOSE (GATE_ADDRESS + 1)

#endif
