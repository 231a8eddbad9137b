/* SPDX-License-Identifier: MIT */
/*
 * Children that share this process's memory: vfork() and clone(CLONE_VM).
 *
 * The kernel gives such a child no restartable sequences, but the thread pointer
 * and so the struct rseq that the child sees are its parent's. The CPU number in
 * it is stale, and nothing restarts what the child does: a pop by it could be torn
 * by a thread of the parent that is on that CPU. The fields of the area are the
 * kernel's, so they cannot be made invalid for the child.
 *
 * Therefore the bound of the slot index is 0 while there is such a child. Each
 * operation compares its index with the bound, so each one finds nothing and its
 * caller takes the slow path, whose locks work between tasks that share memory.
 * Sequences of other threads that compared earlier go on, which is harmless: they
 * are protected from each other, and the child starts none. So all that has to be
 * ordered is the store of 0 before the child's first load, and that is one thread's
 * program order: the parent stores, then makes the child. It costs the parent's
 * threads their fast paths until the child has called exec or _exit.
 *
 * The bound and the number of children change in one word, so that the end of one
 * child cannot open the slots to another. A process that is forked meanwhile has none
 * of these children.
 *
 * posix_spawn(), system() and popen() do not allocate in the child and need nothing. Nor does
 * anything where there are no sequences: locked slots are shared like all else, so libc's vfork()
 * is percpu_vfork().
 */
#include "percpu/vfork.h"

#include <errno.h>

#include "base/atomic.h"
#include "percpu/percpu.h"

union bound_word {
	struct percpu_bound bound;
	uint64_t word;
};

static void change_children(int by)
{
	union bound_word old, new;

	/* pairs with itself: the number of slots that the limit was made from, or more */
	old.word = atomic_load_acquire((uint64_t *)&percpu.bound);
	do {
		new.bound.children = old.bound.children + (uint32_t)by;
		new.bound.limit = new.bound.children ? 0 : percpu_nr_slots();
		/* release: what a child did to memory, before the slots are open again */
	} while (!atomic_cas_acq_rel((uint64_t *)&percpu.bound, &old.word, new.word));
}

void percpu_bound_renew(void)
{
	change_children(0);
}

void percpu_share_begin(void)
{
	/* Not by the child: the rest of the process would see it half done. */
	percpu_init();
	change_children(1);
}

void percpu_share_end(void)
{
	change_children(-1);
}

/*
 * The forking thread may have been a vfork child itself: then what it copied has no
 * restartable sequences either, and has to ask for them.
 */
void percpu_share_fork_child(void)
{
	union bound_word open = { .bound = { .limit = percpu.nr_slots } };

	if (percpu.bound.children && percpu_renew_registration())
		atomic_store_relaxed((uint64_t *)&percpu.bound, open.word);
}

#if RSEQ_SUPPORTED
/*
 * The parent's way out of percpu_vfork(): result is the system call's.
 */
pid_t percpu_vfork_parent(long result);

__attribute__((__used__)) pid_t percpu_vfork_parent(long result)
{
	percpu_share_end();
	if (result >= 0)
		return (pid_t)result;
	errno = (int)-result;
	return -1;
}
#endif

/*
 * The child runs on the parent's stack and overwrites what is below the caller's
 * frame, so the return address waits in a register, which the kernel keeps for
 * each of the two.
 */
#define VFORK_BEGIN							\
	".pushsection .text\n\t"					\
	".globl percpu_vfork\n\t"					\
	".hidden percpu_vfork\n\t"					\
	".globl usermm_vfork\n\t"					\
	".set usermm_vfork, percpu_vfork\n\t"				\
	".type percpu_vfork, %function\n"				\
	"percpu_vfork:\n\t"						\
	".cfi_startproc\n\t"
#define VFORK_END							\
	".cfi_endproc\n\t"						\
	".size percpu_vfork, . - percpu_vfork\n\t"			\
	".popsection"
/* aarch64's and riscv's calls have the numbers of the kernel's common table. */
#define SYS_CLONE "220"
#define CLONE_VM_VFORK_SIGCHLD "0x4111"

#if defined(__x86_64__)
#define SYS_VFORK "58"
__asm__(VFORK_BEGIN
	"subq $8, %rsp\n\t"
	".cfi_adjust_cfa_offset 8\n\t"
	"call percpu_share_begin\n\t"
	"addq $8, %rsp\n\t"
	".cfi_adjust_cfa_offset -8\n\t"
	"popq %rdi\n\t"
	".cfi_adjust_cfa_offset -8\n\t"
	".cfi_register %rip, %rdi\n\t"
	"movl $" SYS_VFORK ", %eax\n\t"
	"syscall\n\t"
	"pushq %rdi\n\t"
	".cfi_adjust_cfa_offset 8\n\t"
	".cfi_rel_offset %rip, 0\n\t"
	"testq %rax, %rax\n\t"
	"jz 1f\n\t"
	"movq %rax, %rdi\n\t"
	"jmp percpu_vfork_parent\n"
	"1:\n\t"
	"ret\n\t"
	VFORK_END);
#elif defined(__aarch64__)
__asm__(VFORK_BEGIN
	"stp x29, x30, [sp, -16]!\n\t"
	".cfi_adjust_cfa_offset 16\n\t"
	".cfi_rel_offset x30, 8\n\t"
	"bl percpu_share_begin\n\t"
	"ldp x29, x30, [sp], 16\n\t"
	".cfi_adjust_cfa_offset -16\n\t"
	".cfi_restore x30\n\t"
	"mov x0, " CLONE_VM_VFORK_SIGCHLD "\n\t"
	"mov x1, 0\n\t"
	"mov x2, 0\n\t"
	"mov x3, 0\n\t"
	"mov x4, 0\n\t"
	"mov x8, " SYS_CLONE "\n\t"
	"svc 0\n\t"
	"cbnz x0, percpu_vfork_parent\n\t"
	"ret\n\t"
	VFORK_END);
#elif defined(__riscv)
__asm__(VFORK_BEGIN
	"addi sp, sp, -16\n\t"
	".cfi_adjust_cfa_offset 16\n\t"
	"sd ra, 8(sp)\n\t"
	".cfi_rel_offset ra, 8\n\t"
	"call percpu_share_begin\n\t"
	"ld ra, 8(sp)\n\t"
	".cfi_restore ra\n\t"
	"addi sp, sp, 16\n\t"
	".cfi_adjust_cfa_offset -16\n\t"
	"li a0, " CLONE_VM_VFORK_SIGCHLD "\n\t"
	"li a1, 0\n\t"
	"li a2, 0\n\t"
	"li a3, 0\n\t"
	"li a4, 0\n\t"
	"li a7, " SYS_CLONE "\n\t"
	"ecall\n\t"
	"beqz a0, 1f\n\t"
	"tail percpu_vfork_parent\n"
	"1:\n\t"
	"ret\n\t"
	VFORK_END);
#endif
