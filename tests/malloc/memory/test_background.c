/* SPDX-License-Identifier: MIT */
/*
 * When is the library's thread created? Code that frees much creates it, but a signal handler does
 * not, and there is none where the system refuses threads. Without the thread, frees give memory
 * back themselves.
 */
#define _GNU_SOURCE
#include "child.h"

#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#ifdef __GLIBC__
#include <ucontext.h>
#endif

#include "tasks.h"

/* Can the library find its callers by their stack? It cannot where it has no unwinder. */
#ifdef USERMM_UNWINDER
#define STACK_TELLS 1
#else
#define STACK_TELLS 0
#endif

#define MUCH_BLOCKS 192
/* Bytes that stay without the thread, and bytes that do not belong to the blocks. */
#define STAYS_BYTES (144 * MIB)
/* The thread is called at most once in this time. */
#define CALL_MS 250
/* Skips a case that is not possible on this system. */
#define EXIT_SKIP 77

static void run_child(void (*fn)(void *arg), void *arg, const char *why_skipped)
{
	struct child_result result;

	child_run(&result, fn, arg);
	if (why_skipped && child_exited(result.status, EXIT_SKIP)) {
		harness.skipped = why_skipped;
		return;
	}
	CHECK(child_exited(result.status, 0) && !*result.err, "; wait status %#x %s",
	      result.status, result.err);
}

static void free_much(void)
{
	static char *blocks[MUCH_BLOCKS];

	sleep_us((CALL_MS + 20) * 1000);
	for (unsigned int i = 0; i < MUCH_BLOCKS; i++) {
		blocks[i] = malloc(MIB);
		REQUIRE(blocks[i]);
		memset(blocks[i], 1, MIB);
	}
	for (unsigned int i = 0; i < MUCH_BLOCKS; i++)
		free(blocks[i]);
}

/* --- Signals ------------------------------------------------------------------------ */

static void block_all(void)
{
	sigset_t all;

	sigfillset(&all);
	REQUIRE(!sigprocmask(SIG_SETMASK, &all, NULL));
}

static int free_and_count(void)
{
	size_t before = resident_bytes();

	free_much();
	CHECK(nr_threads() == 1 + STACK_TELLS, "; %u", nr_threads());
	CHECK(STACK_TELLS || resident_bytes() <= before + STAYS_BYTES);
	return harness_status();
}

static void *free_in_thread(void *unused)
{
	unsigned int before = nr_threads();

	free_much();
	CHECK(nr_threads() == before + STACK_TELLS, "; %u", nr_threads());
	return unused;
}

static void block_and_free(void *in_thread)
{
	pthread_t thread;

	block_all();
	if (!in_thread)
		_exit(free_and_count());
	REQUIRE(!pthread_create(&thread, NULL, free_in_thread, NULL));
	pthread_join(thread, NULL);
}

static void inherit_blocked(void *again)
{
	block_all();
	child_exec_again(again);
}

/* Blocks all signals for good, as programs do that use signalfd(2) or sigwait(3). */
static void blocked_signals_forbid_nothing(void)
{
	static const struct child_again again = { "--free", NULL, NULL, 0 };

	run_child(block_and_free, NULL, NULL);
	run_child(block_and_free, (void *)&again, NULL);
	run_child(inherit_blocked, (void *)&again, NULL);
}

/* --- While the thread is being made ------------------------------------------------------ */

static volatile sig_atomic_t interrupts;

/* The library calls this function while the thread is being created and does not run yet. */
__attribute__((__visibility__("default"))) int pthread_attr_init(pthread_attr_t *attr)
{
	int (*libcs_own)(pthread_attr_t *) =
		(int (*)(pthread_attr_t *))(uintptr_t)dlsym(RTLD_NEXT, "pthread_attr_init");

	if (interrupts) {
		interrupts = 0;
		raise(SIGUSR2);
	}
	return libcs_own(attr);
}

static volatile sig_atomic_t has_waited;

static void wait_for_its_end(int signal)
{
	(void)signal;
	unshare(0);
	has_waited = 1;
}

static void interrupt_start(void *unused)
{
	struct sigaction action = { .sa_handler = wait_for_its_end };

	(void)unused;
	REQUIRE(!sigaction(SIGUSR2, &action, NULL));
	free_much();
	unshare(0);
	CHECK(nr_threads() == 1);
	interrupts = 1;
	free_much();
	CHECK(has_waited);
}

/* The call ends: it does not wait for the thread where the wait would never end. */
static void handlers_above_the_start(void)
{
	run_child(interrupt_start, NULL, NULL);
}

/* --- Children for which no fork handlers run -------------------------------------------- */

#ifdef __GLIBC__
static int free_in_clone_child(void *unused)
{
	(void)unused;
	alarm(CHILD_SECONDS);
	return free_and_count();
}

/* The parent's thread ends before such a child is made. */
static void clone_and_wait(void *unused)
{
	(void)unused;
	free_much();
	child_by_clone(free_in_clone_child);
}

static void clone_children_have_their_own(void)
{
	run_child(clone_and_wait, NULL, NULL);
}
#endif

/* --- Handlers ---------------------------------------------------------------------------- */

static unsigned int threads_in_handler;

static void free_in_handler(int signal)
{
	size_t before = resident_bytes();

	(void)signal;
	free_much();
	threads_in_handler = nr_threads();
	CHECK(resident_bytes() <= before + STAYS_BYTES, "; %zu MiB, then %zu", before / MIB,
	      resident_bytes() / MIB);
}

struct kind {
	int flags;
	bool blocks_all;
};

static void *be_interrupted(void *arg)
{
	const struct kind *kind = arg;
	static char memory[64 * KIB];
	stack_t stack = { .ss_sp = memory, .ss_size = sizeof(memory) };
	struct sigaction action = { .sa_handler = free_in_handler, .sa_flags = kind->flags };
	unsigned int before = nr_threads();

	REQUIRE(!sigaltstack(&stack, NULL));
	if (kind->blocks_all)
		sigfillset(&action.sa_mask);
	REQUIRE(!sigaction(SIGUSR1, &action, NULL));
	raise(SIGUSR1);
	CHECK(threads_in_handler == before, "; flags %#x", (unsigned int)kind->flags);
	free_much();
	CHECK(nr_threads() == before + 1, "; flags %#x, afterwards", (unsigned int)kind->flags);
	return NULL;
}

static void interrupt_first_thread(void *kind)
{
	be_interrupted(kind);
}

static void interrupt_other_thread(void *kind)
{
	pthread_t thread;

	REQUIRE(!pthread_create(&thread, NULL, be_interrupted, kind));
	pthread_join(thread, NULL);
}

static void handlers_make_none(void)
{
	static struct kind kinds[] = {
		{ 0, false }, { 0, true }, { SA_ONSTACK, true }, { SA_ONSTACK | SA_NODEFER, false },
		{ SA_NODEFER | SA_SIGINFO, false }, { SA_NODEFER, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		/* If the stack does not tell, this handler looks like ordinary code. */
		if (!STACK_TELLS && !kinds[i].blocks_all && !(kinds[i].flags & SA_ONSTACK) &&
		    (kinds[i].flags & SA_NODEFER))
			continue;
		run_child(i % 2 ? interrupt_other_thread : interrupt_first_thread, &kinds[i], NULL);
	}
}

/* --- A stack that does not tell --------------------------------------------------------- */

#ifdef __GLIBC__
static ucontext_t outside, inside;
static unsigned int expected_inside;

static void free_inside(void)
{
	size_t before = resident_bytes();

	free_much();
	CHECK(nr_threads() == expected_inside, "; %u, not %u", nr_threads(), expected_inside);
	CHECK(expected_inside > 1 || resident_bytes() <= before + STAYS_BYTES);
}

/* A walk ends at a coroutine's first frame, so the signal mask decides. */
static void free_in_coroutine(void *blocked)
{
	static char stack[256 * KIB];

	if (blocked)
		block_all();
	expected_inside = blocked ? 1 : 2;
	REQUIRE(!getcontext(&inside));
	inside.uc_stack.ss_sp = stack;
	inside.uc_stack.ss_size = sizeof(stack);
	inside.uc_link = &outside;
	makecontext(&inside, free_inside, 0);
	REQUIRE(!swapcontext(&outside, &inside));
}

#ifdef __x86_64__
static void free_and_go_back(void)
{
	free_inside();
	swapcontext(&inside, &outside);
}

/* Makes a stack as coroutine libraries do: no caller stands below the first frame. */
static void free_above_nothing(void *unused)
{
	static char stack[256 * KIB];

	(void)unused;
	expected_inside = 2;
	REQUIRE(!getcontext(&inside));
	inside.uc_stack.ss_sp = stack;
	inside.uc_stack.ss_size = sizeof(stack);
	makecontext(&inside, free_and_go_back, 0);
	*(unsigned long *)inside.uc_mcontext.gregs[REG_RSP] = 0xdeaddeaddeaddeadUL;
	REQUIRE(!swapcontext(&outside, &inside));
}
#endif

static void coroutines(void)
{
	run_child(free_in_coroutine, NULL, NULL);
	run_child(free_in_coroutine, &inside, NULL);
#ifdef __x86_64__
	run_child(free_above_nothing, NULL, NULL);
#endif
}
#else
static void coroutines(void)
{
	skip_on_musl("musl has no makecontext(3)");
}
#endif

static void free_and_exit(int signal)
{
	(void)signal;
	free_much();
	_exit(0);
}

static void jump_wildly(void *address)
{
	struct sigaction action = { .sa_handler = free_and_exit, .sa_flags = SA_ONSTACK };
	static char stack[256 * KIB];
	stack_t alternative = { .ss_sp = stack, .ss_size = sizeof(stack) };

	REQUIRE(!sigaltstack(&alternative, NULL) && !sigaction(SIGSEGV, &action, NULL));
	((void (*)(void))address)();
}

/* A handler that reports a crash may allocate and free, wherever the program went. */
static void handlers_above_no_memory(void)
{
	run_child(jump_wildly, (void *)0x10, NULL);
	run_child(jump_wildly, (void *)0x7000000000, NULL);
}

/* --- A system that refuses threads -------------------------------------------------------- */

#define LOAD_NUMBER BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define ON_CALL(number, answer)							\
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),			\
	BPF_STMT(BPF_RET | BPF_K, answer)

static int listener = -1;	/* Sync: atomic */
static unsigned int nr_refused;	/* Sync: atomic relaxed */
static bool may_free;		/* Sync: atomic */

/* The kernel asks this thread how to answer a clone(2). */
static void *refuse_clones(void *unused)
{
	struct seccomp_notif asked;

	while (__atomic_load_n(&listener, __ATOMIC_ACQUIRE) < 0)
		sleep_us(1000);
	for (;;) {
		struct seccomp_notif_resp answer = { .error = -EPERM };

		memset(&asked, 0, sizeof(asked));
		if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked))
			return unused;
		answer.id = asked.id;
		__atomic_add_fetch(&nr_refused, 1, __ATOMIC_RELAXED);
		if (ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer))
			return unused;
	}
}

/* Made before the filter, so it is not under it. */
static void *free_when_told(void *unused)
{
	while (!__atomic_load_n(&may_free, __ATOMIC_ACQUIRE))
		sleep_us(1000);
	free_much();
	/*
	 * Checked here, where no thread is about to end: the kernel lists a thread for a moment
	 * after its end.
	 */
	CHECK(nr_threads() == 4, "; %u", nr_threads());
	return unused;
}

/* Uses the system call itself, so that the library does not notice the lockdown. */
static bool install_filter(void)
{
	struct sock_filter filter[] = {
		LOAD_NUMBER,
		ON_CALL(SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS),
		ON_CALL(SYS_clone, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { ARRAY_SIZE(filter), filter };
	long fd;

	if (syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return false;
	fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
		     &program);
	__atomic_store_n(&listener, (int)fd, __ATOMIC_RELEASE);
	return fd >= 0;
}

static void live_without_clone(void *unused)
{
	unsigned int seconds, refused;
	pthread_t supervisor, other;
	double start;

	(void)unused;
	REQUIRE(!pthread_create(&supervisor, NULL, refuse_clones, NULL));
	REQUIRE(!pthread_create(&other, NULL, free_when_told, NULL));
	if (!install_filter())
		_exit(EXIT_SKIP);
	start = seconds_now();
	for (unsigned int i = 0; i < 12; i++) {
		errno = 4711;
		free_much();
		CHECK(errno == 4711, "; errno is %d", errno);
		CHECK(nr_threads() == 3);
		CHECK(resident_bytes() <= 2 * STAYS_BYTES, "; %zu MiB", resident_bytes() / MIB);
	}
	seconds = (unsigned int)(seconds_now() - start);
	refused = __atomic_load_n(&nr_refused, __ATOMIC_RELAXED);
	/* The library's clock has steps of some milliseconds, and seconds were cut off. */
	CHECK(refused >= 1 && refused <= seconds + 2, "; %u in %u s", refused, seconds);
	/* The library tries again later. */
	sleep_us(1100000);
	__atomic_store_n(&may_free, true, __ATOMIC_RELEASE);
	pthread_join(other, NULL);
}

static void refused_threads(void)
{
	run_child(live_without_clone, NULL, "this kernel does not ask programs about system calls");
}

/* --- A number that is somebody else's ---------------------------------------------------- */

static const char *const last_number = "/proc/sys/kernel/ns_last_pid";

static bool write_number(int number)
{
	int fd = open(last_number, O_WRONLY | O_CLOEXEC);
	bool good = fd >= 0 && dprintf(fd, "%d", number) > 0;

	if (fd >= 0)
		close(fd);
	return good;
}

static int read_number(void)
{
	int fd = open(last_number, O_RDONLY | O_CLOEXEC);
	char text[16] = "";

	REQUIRE(fd >= 0 && read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	return atoi(text);
}

enum { UNKNOWN, TAKEN, MISSED };
static int outcome;	/* Sync: atomic */
static bool may_leave;	/* Sync: atomic */

static void tell(int what)
{
	__atomic_store_n(&outcome, what, __ATOMIC_RELEASE);
}


/*
 * This process has the number that the library's thread had, and makes the library end its thread.
 */
static void *take_its_number(void *number)
{
	if (syscall(SYS_gettid) != *(int *)number) {
		tell(MISSED);
		return NULL;
	}
	tell(TAKEN);
	while (!__atomic_load_n(&may_leave, __ATOMIC_ACQUIRE))
		sleep_us(1000);
	unshare(0);
	CHECK(nr_threads() == 2, "; %u", nr_threads());
	return NULL;
}

/* The kernel may still be busy with the number's last owner. */
static pthread_t start_with_number(int *number)
{
	pthread_t thread;

	for (unsigned int i = 0; i < 1000; i++) {
		tell(UNKNOWN);
		REQUIRE(write_number(*number - 1));
		REQUIRE(!pthread_create(&thread, NULL, take_its_number, number));
		while (__atomic_load_n(&outcome, __ATOMIC_ACQUIRE) == UNKNOWN)
			sleep_us(1000);
		if (__atomic_load_n(&outcome, __ATOMIC_ACQUIRE) == TAKEN)
			return thread;
		pthread_join(thread, NULL);
		sleep_us(1000);
	}
	_exit(EXIT_SKIP);
}

/* The first process of its namespace, where nobody else takes numbers. */
static int reuse_number(void)
{
	pthread_t thread;
	double start;
	int number;

	free_much();
	REQUIRE(nr_threads() == 2);
	number = read_number();
	unshare(0);
	malloc_trim(0);		/* so that nothing calls the thread before the next frees */
	/*
	 * The library does not wait on if the thread has left, and no processor has run it for a
	 * second.
	 */
	start = seconds_now();
	while (nr_threads() > 1 && seconds_now() - start < 20 * slowness())
		sleep_us(1000);
	CHECK(nr_threads() == 1);
	thread = start_with_number(&number);
	/* The wait for the number to disappear lasts at most a second. */
	start = seconds_now();
	unshare(0);
	CHECK(seconds_now() - start < 20 * slowness());
	sleep_us(1100000);
	free_much();
	CHECK(nr_threads() == 3, "; %u", nr_threads());
	__atomic_store_n(&may_leave, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	return harness_status();
}

static void be_first_process(void *unused)
{
	int status = -1;
	pid_t child;

	(void)unused;
	if (syscall(SYS_unshare, CLONE_NEWPID) &&
	    syscall(SYS_unshare, CLONE_NEWUSER | CLONE_NEWPID))
		_exit(EXIT_SKIP);
	child = fork();
	REQUIRE(child >= 0);
	if (!child)
		_exit(write_number(100) ? reuse_number() : EXIT_SKIP);
	REQUIRE(waitpid(child, &status, 0) == child);
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

static void reused_number(void)
{
	run_child(be_first_process, NULL, "this process may not choose its threads' numbers");
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "blocked_signals_forbid_nothing", blocked_signals_forbid_nothing, true },
		{ "handlers_above_the_start", handlers_above_the_start, true },
#ifdef __GLIBC__
		{ "clone_children_have_their_own", clone_children_have_their_own, true },
#endif
		{ "handlers_make_none", handlers_make_none, true },
		{ "coroutines", coroutines, true },
		{ "handlers_above_no_memory", handlers_above_no_memory, true },
		{ "refused_threads", refused_threads, true },
		{ "reused_number", reused_number, true },
	};

	if (argc > 1 && !strcmp(argv[1], "--free"))
		return free_and_count();
	return harness_main(argc, argv, cases, ARRAY_SIZE(cases));
}
