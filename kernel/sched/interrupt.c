// SPDX-License-Identifier: MIT
/*
 * Tasklets. Each is a timer that is due at once, since the timers' thread runs the soft interrupts.
 * So all tasklets run one after another, which is more than Linux promises.
 */
#include <linux/bitops.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/sched.h>

void tasklet_init(struct tasklet_struct *tasklet, void (*function)(unsigned long),
		  unsigned long data)
{
	*tasklet = (struct tasklet_struct)USERMM_TASKLET_INIT_OLD(function, data, 0);
}

void tasklet_setup(struct tasklet_struct *tasklet, void (*callback)(struct tasklet_struct *))
{
	*tasklet = (struct tasklet_struct)USERMM_TASKLET_INIT(callback);
}

bool usermm_tasklet_schedule(struct tasklet_struct *tasklet)
{
	if (test_and_set_bit(TASKLET_STATE_SCHED, &tasklet->state))
		return false;
	mod_timer(&tasklet->timer, jiffies);
	return true;
}

void usermm_tasklet_run(struct timer_list *timer)
{
	struct tasklet_struct *tasklet = container_of(timer, struct tasklet_struct, timer);

	set_bit(TASKLET_STATE_RUN, &tasklet->state);
	/* Set the bit before reading the count; pairs with tasklet_disable_nosync(). */
	smp_mb();
	if (atomic_read(&tasklet->count)) {
		clear_bit(TASKLET_STATE_RUN, &tasklet->state);
		mod_timer(timer, jiffies + 1);
		return;
	}
	/* From here on it may be scheduled again. */
	clear_bit(TASKLET_STATE_SCHED, &tasklet->state);
	if (tasklet->use_callback)
		tasklet->callback(tasklet);
	else
		tasklet->func(tasklet->data);
	smp_mb__before_atomic();
	clear_bit(TASKLET_STATE_RUN, &tasklet->state);
}

void tasklet_unlock_wait(struct tasklet_struct *tasklet)
{
	while (test_bit(TASKLET_STATE_RUN, &tasklet->state))
		yield();
}

void tasklet_kill(struct tasklet_struct *tasklet)
{
	while (test_and_set_bit(TASKLET_STATE_SCHED, &tasklet->state))
		yield();
	/* When the timer no longer runs, the function has returned. */
	timer_delete_sync(&tasklet->timer);
	clear_bit(TASKLET_STATE_SCHED, &tasklet->state);
}

void usermm_irq_work_run(struct tasklet_struct *tasklet)
{
	struct irq_work *work = container_of(tasklet, struct irq_work, tasklet);

	work->func(work);
}
