/* SPDX-License-Identifier: MIT */
/*
 * Children that share this process's memory: vfork() and clone(CLONE_VM).
 *
 * The kernel gives such a child no restartable sequences. But the child has its parent's thread
 * pointer, so it sees its parent's struct rseq. The slot index there is stale, and nothing restarts
 * what the child does. So a thread of the parent on that slot could interfere in the middle of a
 * pop by the child. The fields of the area belong to the kernel, so nobody can make them invalid
 * for the child.
 *
 * Therefore the bound of the slot index is 0 while such a child lives. Each operation compares its
 * index with the bound, so it finds nothing, and its caller takes the slow path. The locks there
 * work between tasks that share memory. This costs the parent's threads their fast paths until the
 * child has called exec or _exit.
 *
 * Order. A sequence of another thread that has already compared its index goes on. This is
 * harmless: the kernel protects such sequences from each other, and the child starts none. So the
 * store of 0 only has to come before the child's first load. It does, because the parent stores
 * first and then makes the child.
 *
 * The bound and the number of children change together, in one word, so the end of one child cannot
 * open the slots to another child. A process that is forked meanwhile has none of these children.
 *
 * posix_spawn(), system() and popen() need nothing, because their children do not allocate. Without
 * sequences nothing is needed either: locked slots work between tasks that share memory, so
 * percpu_vfork() is libc's vfork().
 */
#include "percpu/vfork.h"

#include <errno.h>

#include "base/atomic.h"
#include "percpu/percpu.h"

union bound_word {
	struct percpu_bound bound;
	uint64_t word;
};

/*
 * If slots are made meanwhile, either their percpu_bound_renew() swaps after this swap, and so sees
 * the children that are left. Or it swaps before; while there is a child, that does not change the
 * word. Then this sees the new number of slots after its swap, and changes the limit again.
 */
static void change_children(int by)
{
	union bound_word old, new;
	unsigned int slots;

	old.word = atomic_load_relaxed((uint64_t *)&percpu.bound);
	do {
		slots = percpu_nr_slots();
		new.bound.children = old.bound.children + (uint32_t)by;
		new.bound.limit = new.bound.children ? 0 : slots;
		/*
		 * pairs with itself in other threads: nr_slots. Open slots publish nothing else:
		 * the child had no slot, and all that it wrote, it wrote under locks.
		 */
	} while (!atomic_cas_acq_rel((uint64_t *)&percpu.bound, &old.word, new.word));
	if (unlikely(percpu_nr_slots() != slots))
		change_children(0);
}

void percpu_bound_renew(void)
{
	change_children(0);
}

void percpu_share_begin(void)
{
	/* Now, because if the child did this, the parent could see it half done. */
	percpu_init();
	change_children(1);
}

void percpu_share_end(void)
{
	change_children(-1);
}

/*
 * The forking thread may have been a vfork child itself. Then this process has no registration
 * either and has to ask for one.
 */
void percpu_share_fork_child(void)
{
	union bound_word open = { .bound = { .limit = percpu.nr_slots } };

	if (percpu.bound.children && percpu_renew_registration())
		atomic_store_relaxed((uint64_t *)&percpu.bound, open.word);
}

#if RSEQ_SUPPORTED
/* The end of percpu_vfork() in the parent. result: what the system call returned. */
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
 * percpu_vfork(). The child runs on the parent's stack and overwrites what lies below the caller's
 * frame. So the return address waits in a register, which the kernel keeps for each of the two.
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
/* aarch64 and riscv use the kernel's common table of system call numbers. */
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
