// SPDX-License-Identifier: MIT
/* Queues of tasks to wake, the time that CPUs and tasks spent, and what tasks point to. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kunit/test.h>
#include <linux/cgroup.h>
#include <linux/completion.h>
#include <linux/cred.h>
#include <linux/dcache.h>
#include <linux/delay.h>
#include <linux/fdtable.h>
#include <linux/fs_struct.h>
#include <linux/init_task.h>
#include <linux/kernel_stat.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/nsproxy.h>
#include <linux/pid.h>
#include <linux/sched/cputime.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/wake_q.h>
#include <linux/time_namespace.h>
#include <linux/utsname.h>

/* Libc's macros: these fields are tested by their plain names, the others by libc's. */
#undef si_status
#undef si_fd

struct sleeper {
	struct task_struct *task;
	struct completion woken;
	bool told;			/* Sync: atomic */
};

static int sleep_until_told(void *data)
{
	struct sleeper *sleeper = data;

	for (;;) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		if (READ_ONCE(sleeper->told))
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	complete(&sleeper->woken);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static void start_sleeper(struct kunit *test, struct sleeper *sleeper)
{
	sleeper->told = false;
	init_completion(&sleeper->woken);
	sleeper->task = kthread_run(sleep_until_told, sleeper, "sleeper");
	KUNIT_ASSERT_FALSE(test, IS_ERR(sleeper->task));
}

static void stop_sleeper(struct kunit *test, struct sleeper *sleeper)
{
	KUNIT_EXPECT_NE(test, wait_for_completion_timeout(&sleeper->woken, 60 * HZ), 0UL);
	WRITE_ONCE(sleeper->told, true);
	wake_up_process(sleeper->task);
	KUNIT_EXPECT_EQ(test, kthread_stop(sleeper->task), 0);
}

static void test_queue_wakes_all(struct kunit *test)
{
	struct sleeper sleepers[3];
	unsigned int before[3];
	DEFINE_WAKE_Q(other);
	DEFINE_WAKE_Q(queue);

	KUNIT_EXPECT_TRUE(test, wake_q_empty(&queue));
	wake_up_q(&queue);
	for (unsigned int i = 0; i < 3; i++) {
		start_sleeper(test, &sleepers[i]);
		before[i] = refcount_read(&sleepers[i].task->usage);
		WRITE_ONCE(sleepers[i].told, true);
		wake_q_add(&queue, sleepers[i].task);
		KUNIT_EXPECT_EQ(test, refcount_read(&sleepers[i].task->usage), before[i] + 1);
	}
	/* They are in a queue: nobody else takes them, and one reference is returned. */
	wake_q_add(&other, sleepers[0].task);
	wake_q_add(&queue, sleepers[2].task);
	get_task_struct(sleepers[1].task);
	wake_q_add_safe(&other, sleepers[1].task);
	KUNIT_EXPECT_TRUE(test, wake_q_empty(&other));
	for (unsigned int i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, refcount_read(&sleepers[i].task->usage), before[i] + 1);
	wake_up_q(&queue);
	for (unsigned int i = 0; i < 3; i++) {
		KUNIT_EXPECT_NULL(test, sleepers[i].task->wake_q.next);
		KUNIT_EXPECT_EQ(test, refcount_read(&sleepers[i].task->usage), before[i]);
		stop_sleeper(test, &sleepers[i]);
	}
}

static void test_queue_takes_over_a_reference(struct kunit *test)
{
	struct sleeper sleeper;
	unsigned int before;
	DEFINE_WAKE_Q(queue);

	start_sleeper(test, &sleeper);
	before = refcount_read(&sleeper.task->usage);
	get_task_struct(sleeper.task);
	WRITE_ONCE(sleeper.told, true);
	wake_q_add_safe(&queue, sleeper.task);
	KUNIT_EXPECT_FALSE(test, wake_q_empty(&queue));
	KUNIT_EXPECT_EQ(test, refcount_read(&sleeper.task->usage), before + 1);
	wake_up_q(&queue);
	KUNIT_EXPECT_EQ(test, refcount_read(&sleeper.task->usage), before);
	wake_q_init(&queue);
	KUNIT_EXPECT_TRUE(test, wake_q_empty(&queue));
	stop_sleeper(test, &sleeper);
}

struct row {
	unsigned long long user, nice, system;	/* ticks */
};

/* The machine's figures for CPU 0. False if it has none. */
static bool read_row(struct row *row)
{
	FILE *file = fopen("/proc/stat", "re");
	int found;

	if (!file)
		return false;
	found = fscanf(file, "cpu %*[^\n] cpu0 %llu %llu %llu", &row->user, &row->nice,
		       &row->system);
	fclose(file);
	return found == 3;
}

static void test_cpus_have_the_machines_times(struct kunit *test)
{
	u64 tick = NSEC_PER_SEC / (u64)sysconf(_SC_CLK_TCK);
	struct kernel_cpustat seen;
	struct row before, after;

	if (!read_row(&before))
		kunit_skip(test, "/proc/stat has no CPU 0");
	kcpustat_cpu_fetch(&seen, 0);
	KUNIT_ASSERT_TRUE(test, read_row(&after));
	KUNIT_EXPECT_GE(test, seen.cpustat[CPUTIME_USER], before.user * tick);
	KUNIT_EXPECT_LE(test, seen.cpustat[CPUTIME_USER], after.user * tick);
	KUNIT_EXPECT_GE(test, seen.cpustat[CPUTIME_NICE], before.nice * tick);
	KUNIT_EXPECT_LE(test, seen.cpustat[CPUTIME_NICE], after.nice * tick);
	KUNIT_EXPECT_GE(test, seen.cpustat[CPUTIME_SYSTEM], before.system * tick);
	KUNIT_EXPECT_LE(test, seen.cpustat[CPUTIME_SYSTEM], after.system * tick);
	if (sysconf(_SC_NPROCESSORS_CONF) < NR_CPUS)
		KUNIT_EXPECT_EQ(test, kcpustat_cpu(NR_CPUS - 1).cpustat[CPUTIME_IDLE], 0ULL);
}

static u64 ran(struct task_struct *task)
{
	u64 user, system;

	thread_group_cputime_adjusted(task, &user, &system);
	return user + system;
}

static void test_tasks_have_their_own_time(struct kunit *test)
{
	struct sleeper sleeper;
	unsigned int calls = 0;

	start_sleeper(test, &sleeper);
	/* This thread runs, the other one sleeps. */
	while (ran(current) < ran(sleeper.task) + 2 * NSEC_PER_MSEC && calls < 100000)
		calls++;
	KUNIT_EXPECT_LT(test, calls, 100000U);
	KUNIT_EXPECT_EQ(test, ran(&init_task), 0ULL);
	WRITE_ONCE(sleeper.told, true);
	wake_up_process(sleeper.task);
	stop_sleeper(test, &sleeper);
}

static void test_programs_have_a_time(struct kunit *test)
{
	struct pid *pid = find_get_pid(getppid());
	struct task_struct *task = pid ? get_pid_task(pid, PIDTYPE_PID) : NULL;

	if (!task)
		kunit_skip(test, "the parent cannot be seen");
	KUNIT_EXPECT_GT(test, ran(task), 0ULL);
	put_task_struct(task);
	put_pid(pid);
}

/* What no living task of Linux lacks. */
static void expect_whole(struct kunit *test, struct task_struct *task)
{
	char path[16];

	KUNIT_ASSERT_NOT_NULL(test, task);
	KUNIT_ASSERT_NOT_NULL(test, task->cred);
	KUNIT_ASSERT_NOT_NULL(test, task->real_cred);
	KUNIT_EXPECT_PTR_EQ(test, __task_cred(task), task->real_cred);
	KUNIT_EXPECT_NOT_NULL(test, task->cred->user_ns);
	KUNIT_ASSERT_NOT_NULL(test, task->signal);
	KUNIT_EXPECT_NULL(test, task->signal->tty);
	KUNIT_ASSERT_NOT_NULL(test, task->sighand);
	KUNIT_EXPECT_PTR_EQ(test, task->sighand->action[0].sa.sa_handler,
			    task->flags & PF_KTHREAD ? SIG_IGN : SIG_DFL);
	KUNIT_ASSERT_NOT_NULL(test, task->files);
	KUNIT_EXPECT_GT(test, files_fdtable(task->files)->max_fds, 0U);
	KUNIT_EXPECT_NULL(test, files_fdtable(task->files)->fd[0]);
	KUNIT_ASSERT_NOT_NULL(test, task->fs);
	KUNIT_EXPECT_STREQ(test, d_path(&task->fs->pwd, path, sizeof(path)), "/");
	KUNIT_EXPECT_PTR_EQ(test, task->fs->root.mnt->mnt_root, task->fs->root.dentry);
	KUNIT_ASSERT_NOT_NULL(test, task->nsproxy);
	KUNIT_EXPECT_NOT_NULL(test, task->nsproxy->mnt_ns);
	KUNIT_EXPECT_STREQ(test, task->nsproxy->uts_ns->name.sysname, utsname()->sysname);
	KUNIT_EXPECT_NOT_NULL(test, task->group_leader);
	KUNIT_EXPECT_NOT_NULL(test, task->active_mm);
	KUNIT_EXPECT_EQ(test, !task->mm, !!(task->flags & PF_KTHREAD));
	KUNIT_EXPECT_GT(test, strlen(task->comm), (size_t)0);
}

/* As `for (task = current; task != &init_task; task = task->parent)` goes. */
static void expect_way_up(struct kunit *test, struct task_struct *task)
{
	unsigned int steps = 0;

	for (; task != &init_task && steps < 1000; task = task->real_parent, steps++) {
		KUNIT_EXPECT_PTR_EQ(test, task->parent, task->real_parent);
		expect_whole(test, task);
	}
	KUNIT_EXPECT_PTR_EQ(test, task, &init_task);
	KUNIT_EXPECT_PTR_EQ(test, task->parent, &init_task);
}

static void test_tasks_point_to_what_those_of_linux_do(struct kunit *test)
{
	struct task_struct *parent = pid_task(find_vpid(getppid()), PIDTYPE_PID);
	struct sleeper sleeper;

	expect_whole(test, &init_task);
	expect_whole(test, current);
	expect_way_up(test, current);
	KUNIT_EXPECT_EQ(test, init_task.pid, 0);
	expect_way_up(test, pid_task(find_vpid(1), PIDTYPE_PID));
	expect_way_up(test, parent);
	KUNIT_EXPECT_PTR_EQ(test, current->real_parent, parent);
	KUNIT_EXPECT_EQ(test, task_ppid_nr(current), getppid());
	KUNIT_EXPECT_PTR_NE(test, parent->mm, current->mm);
	KUNIT_EXPECT_NOT_NULL(test, current->mm);
	KUNIT_EXPECT_PTR_EQ(test, find_vma(current->mm, current->mm->start_code)->vm_mm,
			    current->mm);

	start_sleeper(test, &sleeper);
	expect_way_up(test, sleeper.task);
	KUNIT_EXPECT_STREQ(test, sleeper.task->parent->comm, "kthreadd");
	get_task_struct(sleeper.task);
	WRITE_ONCE(sleeper.told, true);
	wake_up_process(sleeper.task);
	stop_sleeper(test, &sleeper);
	while (__atomic_load_n(&sleeper.task->context, __ATOMIC_ACQUIRE))
		schedule_timeout_uninterruptible(1);
	KUNIT_EXPECT_FALSE(test, pid_alive(sleeper.task));
	KUNIT_EXPECT_EQ(test, send_sig(SIGTERM, sleeper.task, 0), -ESRCH);
	KUNIT_EXPECT_EQ(test, send_sig(SIGTERM, &init_task, 0), 0);
	KUNIT_EXPECT_NULL(test, sleeper.task->files);
	KUNIT_EXPECT_NULL(test, sleeper.task->fs);
	KUNIT_EXPECT_NULL(test, sleeper.task->nsproxy);
	KUNIT_EXPECT_NOT_NULL(test, sleeper.task->real_cred);
	put_task_struct(sleeper.task);
}

/* A program that waits for a signal. number: the one that it gets; 0: any. -1 without the right. */
static pid_t start_program(pid_t number)
{
	u64 arguments[11] = { [4] = SIGCHLD, [8] = (u64)&number, [9] = 1 };
	pid_t pid = number ? (pid_t)syscall(SYS_clone3, arguments, sizeof(arguments)) : (fork)();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		(pause)();
}

static void end_program(struct kunit *test, pid_t pid)
{
	KUNIT_EXPECT_EQ(test, (kill)(pid, SIGKILL), 0);
	KUNIT_EXPECT_EQ(test, (waitpid)(pid, NULL, 0), pid);
}

/* A task of a program that ended, whose number another program has. */
static void expect_left_alone(struct kunit *test, struct task_struct *task, pid_t pid)
{
	struct kernel_siginfo info = { .si_signo = SIGKILL, .si_code = SI_QUEUE };

	KUNIT_EXPECT_EQ(test, send_sig(SIGKILL, task, 1), -ESRCH);
	KUNIT_EXPECT_EQ(test, send_sig_info(SIGKILL, &info, task), -ESRCH);
	KUNIT_EXPECT_EQ(test, usermm_kill_process(pid, task->usermm_started, SIGKILL), -ESRCH);
	msleep(20);
	KUNIT_EXPECT_EQ(test, (waitpid)(pid, NULL, WNOHANG), 0);
}

static void test_signals_reach_no_other_program(struct kunit *test)
{
	pid_t pid = start_program(0);
	struct task_struct *task;
	unsigned long started;
	int status = 0;

	KUNIT_ASSERT_GT(test, pid, 0);
	task = pid_task(find_vpid(pid), PIDTYPE_PID);
	KUNIT_ASSERT_NOT_NULL(test, task);
	started = task->usermm_started;
	KUNIT_EXPECT_EQ(test, send_sig(0, task, 1), 0);
	KUNIT_EXPECT_EQ(test, send_sig(65, task, 1), -EINVAL);
	task->usermm_started++;
	expect_left_alone(test, task, pid);
	task->usermm_started = 0;
	expect_left_alone(test, task, pid);
	task->usermm_started = started;

	/* Its group goes by the start of its first process. */
	KUNIT_EXPECT_EQ(test, setpgid(pid, pid), 0);
	KUNIT_EXPECT_EQ(test, usermm_kill_process(-pid, started + 1, SIGKILL), -ESRCH);
	KUNIT_EXPECT_EQ(test, usermm_kill_process(-pid, started, 0), 0);
	KUNIT_EXPECT_EQ(test, usermm_kill_process(pid, started, SIGUSR1), 0);
	KUNIT_EXPECT_EQ(test, (waitpid)(pid, &status, 0), pid);
	KUNIT_EXPECT_TRUE(test, WIFSIGNALED(status) && WTERMSIG(status) == SIGUSR1);
	KUNIT_EXPECT_EQ(test, send_sig(0, task, 1), -ESRCH);
	KUNIT_EXPECT_EQ(test, usermm_kill_process(pid, started, 0), -ESRCH);
	KUNIT_EXPECT_EQ(test, usermm_kill_process(-pid, started, 0), -ESRCH);
}

static void test_values_go_with_signals(struct kunit *test)
{
	struct kernel_siginfo info = { .si_signo = SIGUSR1, .si_code = SI_QUEUE, .si_int = 42 };
	struct siginfo seen;
	int status = 0;
	sigset_t set;
	pid_t pid;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pid = (fork)();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (sigwaitinfo(&set, (siginfo_t *)&seen) != SIGUSR1)
			_exit(1);
		_exit(seen.si_code == SI_QUEUE && seen.si_pid == getppid() ? seen.si_int : 2);
	}
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	KUNIT_ASSERT_GT(test, pid, 0);
	KUNIT_EXPECT_EQ(test, send_sig_info(SIGUSR1, &info, find_task_by_vpid(pid)), 0);
	KUNIT_EXPECT_EQ(test, (waitpid)(pid, &status, 0), pid);
	KUNIT_EXPECT_EQ(test, WEXITSTATUS(status), 42);
}

static void test_numbers_are_used_again(struct kunit *test)
{
	struct task_struct *task, *other;
	pid_t pid = start_program(0);
	struct pid *number;

	KUNIT_ASSERT_GT(test, pid, 0);
	number = find_vpid(pid);
	task = pid_task(number, PIDTYPE_PID);
	KUNIT_ASSERT_NOT_NULL(test, task);
	KUNIT_EXPECT_PTR_EQ(test, find_vpid(pid), number);
	KUNIT_EXPECT_PTR_EQ(test, task_pid(task), number);
	KUNIT_EXPECT_TRUE(test, pid_alive(task));
	KUNIT_EXPECT_EQ(test, send_sig(SIGKILL, task, 1), 0);
	KUNIT_EXPECT_EQ(test, (waitpid)(pid, NULL, 0), pid);
	KUNIT_EXPECT_NULL(test, find_vpid(pid));
	KUNIT_EXPECT_FALSE(test, pid_alive(task));
	msleep(50);		/* starts are told in hundredths of a second */
	if (start_program(pid) != pid)
		kunit_skip(test, "no right to choose the number of a process");
	expect_left_alone(test, task, pid);
	other = pid_task(find_vpid(pid), PIDTYPE_PID);
	KUNIT_ASSERT_NOT_NULL(test, other);
	KUNIT_EXPECT_PTR_NE(test, other, task);
	KUNIT_EXPECT_PTR_EQ(test, task_pid(task), number);
	KUNIT_EXPECT_PTR_NE(test, find_vpid(pid), number);
	KUNIT_EXPECT_PTR_NE(test, other->mm, task->mm);
	KUNIT_EXPECT_NULL(test, find_vma(task->mm, 0));
	KUNIT_EXPECT_NOT_NULL(test, find_vma(other->mm, 0));
	KUNIT_EXPECT_FALSE(test, pid_alive(task));
	KUNIT_EXPECT_TRUE(test, pid_alive(other));
	end_program(test, pid);
}

/* False: it had another one for a minute. */
static bool wait_for_state(struct task_struct *task, char state)
{
	unsigned int left = 60000;

	while (task_state_to_char(task) != state && left--)
		msleep(1);
	return task_state_to_char(task) == state;
}

static void test_programs_have_a_state(struct kunit *test)
{
	pid_t pid = start_program(0);
	struct task_struct *task;

	KUNIT_ASSERT_GT(test, pid, 0);
	task = find_task_by_vpid(pid);
	KUNIT_ASSERT_NOT_NULL(test, task);
	KUNIT_EXPECT_TRUE(test, wait_for_state(task, 'S'));
	KUNIT_EXPECT_EQ(test, send_sig(SIGSTOP, task, 1), 0);
	KUNIT_EXPECT_TRUE(test, wait_for_state(task, 'T'));
	KUNIT_EXPECT_PTR_EQ(test, find_task_by_vpid(pid), task);
	KUNIT_EXPECT_NOT_NULL(test, task->mm);
	KUNIT_EXPECT_EQ(test, send_sig(SIGKILL, task, 1), 0);
	KUNIT_EXPECT_TRUE(test, wait_for_state(task, 'Z'));
	KUNIT_EXPECT_TRUE(test, pid_alive(task));
	/* The task is looked at again when it is found. */
	KUNIT_EXPECT_PTR_EQ(test, find_task_by_vpid(pid), task);
	KUNIT_EXPECT_NULL(test, task->mm);
	KUNIT_EXPECT_TRUE(test, task->flags & PF_EXITING);
	KUNIT_EXPECT_EQ(test, task->exit_state, EXIT_ZOMBIE);
	KUNIT_EXPECT_EQ(test, (waitpid)(pid, NULL, 0), pid);
	KUNIT_EXPECT_EQ(test, task_state_to_char(task), 'X');
	KUNIT_EXPECT_FALSE(test, pid_alive(task));
	KUNIT_EXPECT_TRUE(test, pid_alive(current));
	KUNIT_EXPECT_TRUE(test, pid_alive(&init_task));
}

/* The parent ends, and this process takes its child over. */
static void test_programs_get_other_parents(struct kunit *test)
{
	struct task_struct *task, *parent;
	pid_t pid, child = 0;
	int ends[2];

	if (prctl(PR_SET_CHILD_SUBREAPER, 1))
		kunit_skip(test, "no subreapers: an emulator may not know them");
	KUNIT_ASSERT_EQ(test, (pipe)(ends), 0);
	pid = (fork)();
	if (!pid) {
		child = start_program(0);
		if ((write)(ends[1], &child, sizeof(child)) != sizeof(child))
			_exit(1);
		for (;;)
			(pause)();
	}
	KUNIT_ASSERT_GT(test, pid, 0);
	KUNIT_ASSERT_EQ(test, (read)(ends[0], &child, sizeof(child)), (ssize_t)sizeof(child));
	parent = find_task_by_vpid(pid);
	task = find_task_by_vpid(child);
	KUNIT_ASSERT_NOT_NULL(test, task);
	KUNIT_EXPECT_PTR_EQ(test, task->real_parent, parent);
	end_program(test, pid);
	KUNIT_EXPECT_EQ(test, (kill)(child, SIGKILL), 0);
	KUNIT_EXPECT_TRUE(test, wait_for_state(task, 'Z'));
	KUNIT_EXPECT_PTR_EQ(test, find_task_by_vpid(child), task);
	KUNIT_EXPECT_EQ(test, task_ppid_nr(task), getpid());
	KUNIT_EXPECT_EQ(test, (waitpid)(child, NULL, 0), child);
	(close)(ends[0]);
	(close)(ends[1]);
	prctl(PR_SET_CHILD_SUBREAPER, 0);
}

/* An execve() gives a program its name first, and its memory piece by piece. */
static bool has_started(struct task_struct *task, const char *name)
{
	find_vpid(task->pid);
	return !strcmp(task->comm, name) && task->mm && task->mm->start_code &&
	       find_vma(task->mm, task->mm->start_code);
}

static void test_programs_get_other_memory(struct kunit *test)
{
	struct task_struct *task;
	struct mm_struct *before;
	pid_t pid = (fork)();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		(raise)(SIGSTOP);
		execl("/bin/sleep", "sleep", "60", NULL);
		_exit(1);
	}
	KUNIT_ASSERT_GT(test, pid, 0);
	task = find_task_by_vpid(pid);
	KUNIT_ASSERT_NOT_NULL(test, task);
	KUNIT_EXPECT_TRUE(test, wait_for_state(task, 'T'));
	before = task->mm;
	KUNIT_EXPECT_PTR_EQ(test, find_task_by_vpid(pid)->mm, before);
	KUNIT_EXPECT_NOT_NULL(test, find_vma(before, 0));
	KUNIT_EXPECT_EQ(test, send_sig(SIGCONT, task, 1), 0);
	for (unsigned int i = 0; i < 60000 && !has_started(task, "sleep"); i++)
		msleep(1);
	KUNIT_EXPECT_STREQ(test, task->comm, "sleep");
	KUNIT_EXPECT_PTR_EQ(test, find_task_by_vpid(pid), task);
	KUNIT_EXPECT_PTR_NE(test, task->mm, before);
	KUNIT_EXPECT_NULL(test, find_vma(before, 0));
	KUNIT_EXPECT_PTR_EQ(test, find_vma(task->mm, task->mm->start_code)->vm_mm, task->mm);
	end_program(test, pid);
}

struct thread {
	atomic_t tid;
	atomic_t told;
};

/* It never becomes a task. */
static void *be_a_thread(void *data)
{
	struct thread *thread = data;

	atomic_set(&thread->tid, (int)syscall(SYS_gettid));
	while (!atomic_read(&thread->told))
		usleep(1000);
	return NULL;
}

static void test_threads_have_a_leader(struct kunit *test)
{
	struct thread thread = { .tid = ATOMIC_INIT(0), .told = ATOMIC_INIT(0) };
	struct task_struct *task;
	pthread_t handle;

	KUNIT_ASSERT_EQ(test, (pthread_create)(&handle, NULL, be_a_thread, &thread), 0);
	while (!atomic_read(&thread.tid))
		usleep(1000);
	task = find_task_by_vpid(atomic_read(&thread.tid));
	KUNIT_ASSERT_NOT_NULL(test, task);
	KUNIT_EXPECT_EQ(test, task->pid, atomic_read(&thread.tid));
	KUNIT_EXPECT_EQ(test, task->tgid, getpid());
	KUNIT_EXPECT_EQ(test, task->group_leader->pid, getpid());
	KUNIT_EXPECT_EQ(test, send_sig(0, task, 1), 0);
	atomic_set(&thread.told, 1);
	KUNIT_EXPECT_EQ(test, (pthread_join)(handle, NULL), 0);
	/* The system tells that a thread ends a little before its number is free. */
	for (unsigned int i = 0; i < 60000 && !send_sig(0, task, 1); i++)
		usleep(1000);
	KUNIT_EXPECT_EQ(test, send_sig(0, task, 1), -ESRCH);
}

/* The program's own memory is found, and is gone with the program. */
static void test_programs_have_memory(struct kunit *test)
{
	struct task_struct *task;
	struct vm_area_struct *vma;
	pid_t pid = start_program(0);

	KUNIT_ASSERT_GT(test, pid, 0);
	task = pid_task(find_vpid(pid), PIDTYPE_PID);
	KUNIT_ASSERT_NOT_NULL(test, task);
	expect_whole(test, task);
	KUNIT_EXPECT_PTR_EQ(test, task->real_parent, current);
	KUNIT_EXPECT_NE(test, task->mm->total_vm, 0UL);
	vma = find_vma(task->mm, (unsigned long)&init_task);
	KUNIT_ASSERT_NOT_NULL(test, vma);
	KUNIT_EXPECT_PTR_EQ(test, vma->vm_mm, task->mm);
	KUNIT_EXPECT_LE(test, vma->vm_start, (unsigned long)&init_task);
	KUNIT_EXPECT_EQ(test, send_sig(SIGKILL, task, 1), 0);
	KUNIT_EXPECT_EQ(test, (waitpid)(pid, NULL, 0), pid);
	KUNIT_EXPECT_NULL(test, find_vma(task->mm, 0));

	pid = (fork)();
	if (!pid)
		_exit(0);
	KUNIT_ASSERT_GT(test, pid, 0);
	KUNIT_EXPECT_EQ(test, (waitid)(P_PID, (id_t)pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT), 0);
	task = pid_task(find_vpid(pid), PIDTYPE_PID);
	KUNIT_ASSERT_NOT_NULL(test, task);
	KUNIT_EXPECT_NULL(test, task->mm);
	KUNIT_EXPECT_NULL(test, task->files);
	KUNIT_EXPECT_NOT_NULL(test, task->cred);
	KUNIT_EXPECT_TRUE(test, task->flags & PF_EXITING);
	KUNIT_EXPECT_EQ(test, (waitpid)(pid, NULL, 0), pid);
}

/* Each program's areas are found, however many those of others are. */
static void test_programs_have_many_areas(struct kunit *test)
{
	enum { PROGRAMS = 4, AREAS = 1200 };
	unsigned int found = 0;
	char *pages;

	pages = (mmap)(NULL, AREAS * PAGE_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	KUNIT_ASSERT_PTR_NE(test, (void *)pages, MAP_FAILED);
	for (unsigned int i = 0; i < AREAS; i += 2)
		KUNIT_ASSERT_EQ(test, (mprotect)(pages + i * PAGE_SIZE, PAGE_SIZE, PROT_READ), 0);
	for (unsigned int i = 0; i < PROGRAMS; i++) {
		pid_t pid = start_program(0);
		struct mm_struct *mm;

		KUNIT_ASSERT_GT(test, pid, 0);
		mm = find_task_by_vpid(pid)->mm;
		for (unsigned int j = 0; j < AREAS; j++) {
			unsigned long address = (unsigned long)(pages + j * PAGE_SIZE);
			struct vm_area_struct *vma = find_vma(mm, address);

			found += vma && vma->vm_mm == mm && vma->vm_start <= address;
		}
		end_program(test, pid);
	}
	KUNIT_EXPECT_EQ(test, found, PROGRAMS * AREAS + 0U);
	(munmap)(pages, AREAS * PAGE_SIZE);
}

static void test_credentials_of_tasks(struct kunit *test)
{
	const struct cred *old = current->real_cred, *kept;
	struct cred *cred = prepare_creds();

	KUNIT_ASSERT_NOT_NULL(test, cred);
	KUNIT_EXPECT_PTR_EQ(test, old, (const struct cred *)&init_cred);
	cred->uid = KUIDT_INIT(1000);
	cred->cap_effective = CAP_EMPTY_SET;
	/* Overriding changes what the task may do, and not what others see. */
	kept = override_creds(cred);
	KUNIT_EXPECT_EQ(test, current_uid().val, 1000U);
	KUNIT_EXPECT_EQ(test, task_uid(current).val, 0U);
	KUNIT_EXPECT_FALSE(test, capable(CAP_SYS_ADMIN));
	KUNIT_EXPECT_TRUE(test, has_capability(current, CAP_SYS_ADMIN));
	KUNIT_EXPECT_EQ(test, refcount_read(&cred->usage), 1U);
	KUNIT_EXPECT_PTR_EQ(test, revert_creds(kept), (const struct cred *)cred);
	KUNIT_EXPECT_EQ(test, refcount_read(&cred->usage), 1U);
	KUNIT_EXPECT_PTR_EQ(test, current->cred, old);
	KUNIT_EXPECT_EQ(test, commit_creds(cred), 0);
	KUNIT_EXPECT_PTR_EQ(test, current->cred, (const struct cred *)cred);
	KUNIT_EXPECT_PTR_EQ(test, current->real_cred, (const struct cred *)cred);
	KUNIT_EXPECT_EQ(test, refcount_read(&cred->usage), 2U);
	KUNIT_EXPECT_EQ(test, task_uid(current).val, 1000U);
	get_cred(cred);
	KUNIT_EXPECT_EQ(test, commit_creds((struct cred *)get_cred(old)), 0);
	KUNIT_EXPECT_EQ(test, refcount_read(&cred->usage), 1U);
	put_cred(cred);
	KUNIT_EXPECT_PTR_EQ(test, get_task_cred(&init_task), (const struct cred *)&init_cred);
}

static void commit_over_others(struct cred *cred)
{
	override_creds(cred);
	commit_creds(cred);
}

static void commit_dropped(struct cred *cred)
{
	refcount_set(&cred->usage, 0);
	commit_creds(cred);
}

static void expect_bug(struct kunit *test, void (*function)(struct cred *cred), struct cred *cred)
{
	int status = 0;
	pid_t pid = (fork)();

	if (!pid) {
		prctl(PR_SET_DUMPABLE, 0);
		function(cred);
		_exit(0);
	}
	KUNIT_ASSERT_GT(test, pid, 0);
	KUNIT_EXPECT_EQ(test, (waitpid)(pid, &status, 0), pid);
	KUNIT_EXPECT_TRUE(test, WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static void test_misuse_of_credentials(struct kunit *test)
{
	struct cred *cred = prepare_kernel_cred(&init_task);

	KUNIT_ASSERT_NOT_NULL(test, cred);
	KUNIT_EXPECT_EQ(test, cred->uid.val, 0U);
	KUNIT_EXPECT_NULL(test, prepare_kernel_cred(NULL));	/* and warns */
	expect_bug(test, commit_over_others, cred);
	expect_bug(test, commit_dropped, cred);
	put_cred(cred);
}

/* A task is listed while it lives, and counted if no other one came or went meanwhile. */
static bool try_set_of_all_tasks(struct kunit *test)
{
	int before = __atomic_load_n(&init_css_set.nr_tasks, __ATOMIC_RELAXED), during, listed = 0;
	struct task_struct *task;
	struct sleeper sleeper;
	bool found = false;

	start_sleeper(test, &sleeper);
	KUNIT_EXPECT_PTR_EQ(test, task_css_set(sleeper.task), &init_css_set);
	KUNIT_EXPECT_PTR_EQ(test, init_task.cgroups, &init_css_set);
	during = __atomic_load_n(&init_css_set.nr_tasks, __ATOMIC_RELAXED);
	list_for_each_entry(task, &current->cgroups->tasks, cg_list) {
		found = found || task == sleeper.task;
		listed++;
	}
	KUNIT_EXPECT_TRUE(test, found);
	get_task_struct(sleeper.task);
	WRITE_ONCE(sleeper.told, true);
	wake_up_process(sleeper.task);
	stop_sleeper(test, &sleeper);
	while (__atomic_load_n(&sleeper.task->context, __ATOMIC_ACQUIRE))
		schedule_timeout_uninterruptible(1);
	put_task_struct(sleeper.task);
	return during == before + 1 && listed == during &&
	       __atomic_load_n(&init_css_set.nr_tasks, __ATOMIC_RELAXED) == before;
}

static void test_set_of_all_tasks(struct kunit *test)
{
	bool counted = false;

	/* Threads of the tests before may still be leaving. */
	for (int i = 0; i < 20 && !counted; i++)
		counted = try_set_of_all_tasks(test);
	KUNIT_EXPECT_TRUE(test, counted);
}

/* Fields have one place, by their own names and within _sifields: the system's. */
static void test_fields_of_signals(struct kunit *test)
{
	struct kernel_siginfo info = { .si_signo = SIGUSR1, .si_code = SI_QUEUE };
	struct siginfo program = { .si_signo = SIGUSR1 };

	info._sifields._kill._pid = 12;
	info._sifields._rt._uid = 34;
	info._sifields._rt._sigval.sival_int = 56;
	KUNIT_EXPECT_EQ(test, info.si_pid, 12);
	KUNIT_EXPECT_EQ(test, info.si_uid, 34U);
	KUNIT_EXPECT_EQ(test, info.si_int, 56);
	info._sifields._sigfault._addr = &info;
	KUNIT_EXPECT_PTR_EQ(test, info.si_addr, (void *)&info);
	program.si_status = 3;
	KUNIT_EXPECT_EQ(test, program._sifields._sigchld._status, 3);
	program.si_fd = 4;
	KUNIT_EXPECT_EQ(test, program._sifields._sigpoll._fd, 4);
	KUNIT_EXPECT_EQ(test, sizeof(program), sizeof(siginfo_t));
	KUNIT_EXPECT_EQ(test, (char *)&program.si_pid - (char *)&program, 16L);
	KUNIT_EXPECT_EQ(test, (char *)&program.si_status - (char *)&program, 24L);
	KUNIT_EXPECT_EQ(test, (char *)&program.si_fd - (char *)&program, 24L);
	KUNIT_EXPECT_EQ(test, (char *)&program._sifields._rt._sigval - (char *)&program, 24L);
}

static void test_times_have_no_offset(struct kunit *test)
{
	struct timespec64 time = { 5, 6 };

	timens_add_boottime(&time);
	timens_add_monotonic(&time);
	timens_sub_boottime(&time);
	KUNIT_EXPECT_EQ(test, time.tv_sec, (time64_t)5);
	KUNIT_EXPECT_EQ(test, time.tv_nsec, 6L);
	KUNIT_EXPECT_EQ(test, timens_add_boottime_ns(7), 7ULL);
	KUNIT_EXPECT_PTR_EQ(test, current->nsproxy->time_ns, &init_time_ns);
}

static struct kunit_case tasks_cases[] = {
	KUNIT_CASE(test_queue_wakes_all),
	KUNIT_CASE(test_queue_takes_over_a_reference),
	KUNIT_CASE(test_cpus_have_the_machines_times),
	KUNIT_CASE(test_tasks_have_their_own_time),
	KUNIT_CASE(test_programs_have_a_time),
	KUNIT_CASE(test_tasks_point_to_what_those_of_linux_do),
	KUNIT_CASE(test_signals_reach_no_other_program),
	KUNIT_CASE(test_values_go_with_signals),
	KUNIT_CASE(test_numbers_are_used_again),
	KUNIT_CASE(test_programs_have_a_state),
	KUNIT_CASE(test_programs_get_other_parents),
	KUNIT_CASE(test_programs_get_other_memory),
	KUNIT_CASE(test_threads_have_a_leader),
	KUNIT_CASE(test_programs_have_memory),
	KUNIT_CASE(test_programs_have_many_areas),
	KUNIT_CASE(test_credentials_of_tasks),
	KUNIT_CASE(test_misuse_of_credentials),
	KUNIT_CASE(test_set_of_all_tasks),
	KUNIT_CASE(test_fields_of_signals),
	KUNIT_CASE(test_times_have_no_offset),
	{ }
};

static struct kunit_suite tasks_suite = {
	.name = "tasks",
	.test_cases = tasks_cases,
};
kunit_test_suite(tasks_suite);
