/* SPDX-License-Identifier: MIT */
/*
 * A preloaded library that owns one of libc's functions, OWNED, as torsocks and uid_wrapper own
 * syscall(). At the first call it finds libc's function. This work runs once, under a lock, and it
 * loads LOADED and allocates. A call that comes while the lock is held would wait for ever; this
 * owner says so, and ends the process.
 *
 * The arguments are not known, so the function saves all registers that may hold one.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)

void *owner_find(void) __attribute__((__visibility__("hidden")));

static void *libc_function;	/* constant after the first call */
static __thread char is_busy __attribute__((__tls_model__("initial-exec")));

/* By the kernel alone: any function of libc may be the owned one. */
static void end_process(void)
{
	static const char text[] = "owner of " TEXT(OWNED) "(): called under its own lock\n";
#ifdef __x86_64__
	long result;

	__asm__ volatile("syscall" : "=a"(result)
			 : "0"(1L), "D"(2L), "S"(text), "d"(sizeof(text) - 1)
			 : "rcx", "r11", "memory");
	__asm__ volatile("syscall" : "=a"(result) : "0"(231L), "D"(99L) : "rcx", "r11", "memory");
#else
	register long number __asm__("x8") = 64, first __asm__("x0") = 2;
	register const char *second __asm__("x1") = text;
	register long third __asm__("x2") = sizeof(text) - 1;

	__asm__ volatile("svc #0" : "+r"(first) : "r"(number), "r"(second), "r"(third) : "memory");
	number = 94;
	first = 99;
	__asm__ volatile("svc #0" : "+r"(first) : "r"(number) : "memory");
#endif
	__builtin_trap();
}

void *owner_find(void)
{
	void *function = __atomic_load_n(&libc_function, __ATOMIC_ACQUIRE);

	if (function)
		return function;
	if (is_busy)
		end_process();
	is_busy = 1;
	function = dlsym(RTLD_NEXT, TEXT(OWNED));
	if (!dlopen(LOADED, RTLD_NOW))
		end_process();
	for (size_t bytes = 8; bytes < 1 << 20; bytes *= 3) {
		void *block = malloc(bytes);

		__asm__ volatile("" : "+r"(block));
		free(block);
		block = calloc(1, bytes);
		__asm__ volatile("" : "+r"(block));
		free(block);
	}
	is_busy = 0;
	__atomic_store_n(&libc_function, function, __ATOMIC_RELEASE);
	return function;
}

#ifdef __x86_64__
__asm__(".text\n"
	".globl " TEXT(OWNED) "\n"
	".type " TEXT(OWNED) ", @function\n"
	TEXT(OWNED) ":\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	push %rax\n"
	"	push %rdi\n"
	"	push %rsi\n"
	"	push %rdx\n"
	"	push %rcx\n"
	"	push %r8\n"
	"	push %r9\n"
	"	push %r9\n"
	"	sub $128, %rsp\n"
	"	movups %xmm0, (%rsp)\n"
	"	movups %xmm1, 16(%rsp)\n"
	"	movups %xmm2, 32(%rsp)\n"
	"	movups %xmm3, 48(%rsp)\n"
	"	movups %xmm4, 64(%rsp)\n"
	"	movups %xmm5, 80(%rsp)\n"
	"	movups %xmm6, 96(%rsp)\n"
	"	movups %xmm7, 112(%rsp)\n"
	"	call owner_find\n"
	"	mov %rax, %r11\n"
	"	movups (%rsp), %xmm0\n"
	"	movups 16(%rsp), %xmm1\n"
	"	movups 32(%rsp), %xmm2\n"
	"	movups 48(%rsp), %xmm3\n"
	"	movups 64(%rsp), %xmm4\n"
	"	movups 80(%rsp), %xmm5\n"
	"	movups 96(%rsp), %xmm6\n"
	"	movups 112(%rsp), %xmm7\n"
	"	add $136, %rsp\n"
	"	pop %r9\n"
	"	pop %r8\n"
	"	pop %rcx\n"
	"	pop %rdx\n"
	"	pop %rsi\n"
	"	pop %rdi\n"
	"	pop %rax\n"
	"	pop %rbp\n"
	"	jmp *%r11\n"
	".size " TEXT(OWNED) ", .-" TEXT(OWNED) "\n");
#elif defined __aarch64__
__asm__(".text\n"
	".globl " TEXT(OWNED) "\n"
	".type " TEXT(OWNED) ", %function\n"
	TEXT(OWNED) ":\n"
	"	stp x29, x30, [sp, #-96]!\n"
	"	mov x29, sp\n"
	"	stp x0, x1, [sp, #16]\n"
	"	stp x2, x3, [sp, #32]\n"
	"	stp x4, x5, [sp, #48]\n"
	"	stp x6, x7, [sp, #64]\n"
	"	str x8, [sp, #80]\n"
	"	bl owner_find\n"
	"	mov x16, x0\n"
	"	ldr x8, [sp, #80]\n"
	"	ldp x6, x7, [sp, #64]\n"
	"	ldp x4, x5, [sp, #48]\n"
	"	ldp x2, x3, [sp, #32]\n"
	"	ldp x0, x1, [sp, #16]\n"
	"	ldp x29, x30, [sp], #96\n"
	"	br x16\n"
	".size " TEXT(OWNED) ", .-" TEXT(OWNED) "\n");
#endif
