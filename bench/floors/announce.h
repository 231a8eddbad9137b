/* SPDX-License-Identifier: MIT */
/*
 * The first instructions of the restartable sequences of the floors and of the yardstick R, for
 * x86-64. The library has its own in src/percpu/rseq: what it is measured with must not change with
 * it.
 */
#ifndef BENCH_FLOORS_ANNOUNCE_H
#define BENCH_FLOORS_ANNOUNCE_H

/*
 * Announces the sequence from label 1, which is here, to label 2. If it is interrupted, the kernel
 * goes on at label 4, which jumps to the label `aborted` of the asm goto. `area` is the operand
 * with the address of struct rseq minus the thread pointer; `scratch` is a register.
 */
#define RSEQ_ANNOUNCE(area, scratch, aborted)				\
	".pushsection __rseq_cs, \"aw\"\n\t"				\
	".balign 32\n"							\
	"3:\n\t"							\
	".long 0, 0\n\t"						\
	".quad 1f, 2f - 1f, 4f\n\t"					\
	".popsection\n\t"						\
	".pushsection __rseq_abort, \"ax\"\n\t"				\
	".byte 0x0f, 0xb9, 0x3d\n\t"					\
	".long 0x53053053\n"						\
	"4:\n\t"							\
	"jmp %l[" aborted "]\n\t"					\
	".popsection\n\t"						\
	"leaq 3b(%%rip), %%" scratch "\n\t"				\
	"movq %%" scratch ", %%fs:8(%[" area "])\n"			\
	"1:\n\t"

#endif
