/* SPDX-License-Identifier: MIT */
/*
 * Runs a program to which the kernel refuses system calls, as sandboxes do:
 *
 *	deny CALL=ERROR[,CALL=ERROR]... -- PROGRAM [ARGUMENT]...
 *
 * CALL is a system call of the table below; ERROR is ENOSYS, EPERM or EINVAL. The exit status is
 * the program's; 2 for a wrong command line, 126 if the kernel takes no filter, 127
 * if the program cannot be run.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__riscv)
#define ARCHITECTURE AUDIT_ARCH_RISCV64
#elif defined(__powerpc64__)
#define ARCHITECTURE AUDIT_ARCH_PPC64LE
#elif defined(__s390x__)
#define ARCHITECTURE AUDIT_ARCH_S390X
#elif defined(__loongarch64)
#define ARCHITECTURE AUDIT_ARCH_LOONGARCH64
#else
#error "add this architecture's AUDIT_ARCH_ number"
#endif

enum { EXIT_USAGE = 2, EXIT_NO_FILTER = 126, EXIT_NO_PROGRAM = 127 };

struct number {
	const char *name;
	unsigned int value;
};

static const struct number calls[] = {
	{ "rseq", SYS_rseq },
	{ "membarrier", SYS_membarrier },
	{ "process_vm_readv", SYS_process_vm_readv },
	{ "process_vm_writev", SYS_process_vm_writev },
	{ "ptrace", SYS_ptrace },
	{ NULL, 0 },
};

static const struct number errors[] = {
	{ "ENOSYS", ENOSYS },
	{ "EPERM", EPERM },
	{ "EINVAL", EINVAL },
	{ NULL, 0 },
};

#define LOAD(field) \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define SKIP_UNLESS(value, instructions) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, instructions)
#define ANSWER(action) BPF_STMT(BPF_RET | BPF_K, action)

/* A call under another architecture's number is none of those, so it ends the process. */
static struct sock_filter filter[32] = {
	LOAD(arch),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
	ANSWER(SECCOMP_RET_KILL_PROCESS),
	LOAD(nr),
};
static unsigned short nr_instructions = 4;

static int usage(const char *what, const char *word)
{
	fprintf(stderr, "deny: %s%s; usage: deny CALL={ENOSYS|EPERM|EINVAL}[,...] "
		"-- PROGRAM [ARGUMENT]...\n", what, word);
	return EXIT_USAGE;
}

static const struct number *find(const struct number *numbers, const char *name)
{
	while (name && numbers->name && strcmp(numbers->name, name))
		numbers++;
	return name && numbers->name ? numbers : NULL;
}

static void append(struct sock_filter instruction)
{
	filter[nr_instructions++] = instruction;
}

/* Returns the part that is wrong, or NULL. */
static const char *parse(char *list)
{
	for (char *part = strtok(list, ","); part; part = strtok(NULL, ",")) {
		char *equals = strchr(part, '=');
		const struct number *call, *error;

		if (!equals)
			return part;
		*equals = '\0';
		call = find(calls, part);
		error = find(errors, equals + 1);
		*equals = '=';
		if (!call || !error || nr_instructions + 3u > sizeof(filter) / sizeof(filter[0]))
			return part;
		append((struct sock_filter)SKIP_UNLESS(call->value, 1));
		append((struct sock_filter)ANSWER(SECCOMP_RET_ERRNO | error->value));
	}
	append((struct sock_filter)ANSWER(SECCOMP_RET_ALLOW));
	return NULL;
}

static bool install(void)
{
	struct sock_fprog program = { nr_instructions, filter };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
	const char *wrong;

	if (argc < 4 || strcmp(argv[2], "--"))
		return usage("what to deny, --, and a program are needed", "");
	if (!*argv[1])
		return usage("nothing to deny", "");
	wrong = parse(argv[1]);
	if (wrong)
		return usage("not CALL=ERROR: ", wrong);
	if (!install()) {
		perror("deny: no filter");
		return EXIT_NO_FILTER;
	}
	execvp(argv[3], argv + 3);
	perror(argv[3]);
	return EXIT_NO_PROGRAM;
}
