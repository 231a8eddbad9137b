/* SPDX-License-Identifier: MIT */
/*
 * The primitives with delays inside. A signal, an interrupt or a preemption then mostly comes
 * between the first instruction of a sequence and its commit. A delay stores nothing, uses no
 * register, and is no barrier. Seven pauses take some 500 cycles, and leave the longest sequence
 * within 64 instructions. On aarch64 and riscv64 a pause instruction takes no time, so the
 * delay consists of jumps; besides, emulators may interrupt only at jumps.
 */
#if defined(__x86_64__)
#define RSEQ_INJECT(point) ".rept 7\n\tpause\n\t.endr\n\t"
#elif defined(__aarch64__)
#define RSEQ_INJECT(point) ".rept 12\n\tb . + 4\n\t.endr\n\t"
#elif defined(__riscv)
#define RSEQ_INJECT(point) ".rept 12\n\tj . + 4\n\t.endr\n\t"
#endif

#include "selftest/primitives.h"

#define INSTANCE(name) noinline bool primitive_delayed_##name(struct primitive_call *call)

#include "selftest/instances.h"
