/* SPDX-License-Identifier: MIT */
/*
 * The primitives with delays inside: a signal, an interrupt or a preemption that
 * comes at any time then mostly finds the thread between the first instruction of
 * a sequence and its commit. A delay is neither a store nor a use of a register, nor a
 * barrier. On aarch64 and riscv64, where a pause is over at once, it consists of jumps; an emulator
 * may only interrupt at those.
 */
#if defined(__x86_64__)
#define RSEQ_INJECT(point) ".rept 12\n\tpause\n\t.endr\n\t"
#elif defined(__aarch64__)
#define RSEQ_INJECT(point) ".rept 12\n\tb . + 4\n\t.endr\n\t"
#elif defined(__riscv)
#define RSEQ_INJECT(point) ".rept 12\n\tj . + 4\n\t.endr\n\t"
#endif

#include "selftest/primitives.h"

#define INSTANCE(name) noinline bool primitive_delayed_##name(struct primitive_call *call)

#include "selftest/instances.h"
