// SPDX-License-Identifier: MIT
/*
 * Lines of device interrupts. Nothing raises one but generic_handle_irq(), and GPIOs that a module
 * sets itself (gpio.c). cf. Linux kernel/irq/manage.c.
 */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/hardirq.h>
#include <linux/interrupt.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#define NR_LINES 1024

struct action {
	struct action *next;		/* Sync: lock */
	irq_handler_t handler, thread_function;
	unsigned long flags;
	const char *name;
	void *data;
	unsigned int irq;
	struct work_struct thread;
};

static struct {
	struct action *actions;		/* Sync: lock */
	unsigned int nr_disabled;	/* Sync: lock */
} lines[NR_LINES];
static DEFINE_SPINLOCK(lock);		/* held while handlers run, as if all ran on one CPU */

static void run_thread(struct work_struct *work)
{
	struct action *action = container_of(work, struct action, thread);

	action->thread_function((int)action->irq, action->data);
}

static bool may_share(const struct action *first, unsigned long flags)
{
	return first->flags & flags & IRQF_SHARED &&
	       (first->flags & IRQF_TRIGGER_MASK) == (flags & IRQF_TRIGGER_MASK);
}

int request_threaded_irq(unsigned int irq, irq_handler_t handler, irq_handler_t thread_function,
			 unsigned long flags, const char *name, void *data)
{
	struct action *action;
	unsigned long saved;
	int error = 0;

	if (irq >= NR_LINES || (!handler && !thread_function) || (flags & IRQF_SHARED && !data))
		return -EINVAL;
	action = kzalloc(sizeof(*action), GFP_KERNEL);
	if (!action)
		return -ENOMEM;
	action->handler = handler;
	action->thread_function = thread_function;
	action->flags = flags;
	action->name = name;
	action->data = data;
	action->irq = irq;
	INIT_WORK(&action->thread, run_thread);
	spin_lock_irqsave(&lock, saved);
	if (lines[irq].actions && !may_share(lines[irq].actions, flags)) {
		error = -EBUSY;
	} else {
		if (!lines[irq].actions)
			lines[irq].nr_disabled = flags & IRQF_NO_AUTOEN ? 1 : 0;
		action->next = lines[irq].actions;
		lines[irq].actions = action;
	}
	spin_unlock_irqrestore(&lock, saved);
	if (error)
		kfree(action);
	return error;
}

static struct action *take(unsigned int irq, const void *data)
{
	struct action **link = &lines[irq].actions, *action;

	while (*link && (*link)->data != data)
		link = &(*link)->next;
	action = *link;
	if (action)
		*link = action->next;
	return action;
}

const void *free_irq(unsigned int irq, void *data)
{
	struct action *action = NULL;
	unsigned long saved;
	const char *name;

	if (irq < NR_LINES) {
		spin_lock_irqsave(&lock, saved);
		action = take(irq, data);
		spin_unlock_irqrestore(&lock, saved);
	}
	if (!action) {
		WARN(1, "Trying to free already-free IRQ %d\n", (int)irq);
		return NULL;
	}
	flush_work(&action->thread);
	name = action->name;
	kfree(action);
	return name;
}

struct managed {
	unsigned int irq;
	void *data;
};

static void free_managed(struct device *dev, void *resource)
{
	const struct managed *managed = resource;

	(void)dev;
	free_irq(managed->irq, managed->data);
}

static int is_managed(struct device *dev, void *resource, void *wanted)
{
	const struct managed *a = resource, *b = wanted;

	(void)dev;
	return a->irq == b->irq && a->data == b->data;
}

int devm_request_threaded_irq(struct device *dev, unsigned int irq, irq_handler_t handler,
			      irq_handler_t thread_function, unsigned long flags,
			      const char *name, void *data)
{
	struct managed *managed = devres_alloc(free_managed, sizeof(*managed), GFP_KERNEL);
	int error;

	if (!managed)
		return -ENOMEM;
	error = request_threaded_irq(irq, handler, thread_function, flags,
				     name ? name : dev_name(dev), data);
	if (error) {
		devres_free(managed);
		return error;
	}
	*managed = (struct managed){ irq, data };
	devres_add(dev, managed);
	return 0;
}

void devm_free_irq(struct device *dev, unsigned int irq, void *data)
{
	struct managed managed = { irq, data };

	WARN_ON(devres_release(dev, free_managed, is_managed, &managed));
}

void disable_irq_nosync(unsigned int irq)
{
	unsigned long saved;

	spin_lock_irqsave(&lock, saved);
	if (irq < NR_LINES)
		lines[irq].nr_disabled++;
	spin_unlock_irqrestore(&lock, saved);
}

void enable_irq(unsigned int irq)
{
	unsigned long saved;
	bool wrong = true;

	spin_lock_irqsave(&lock, saved);
	if (irq < NR_LINES && lines[irq].nr_disabled) {
		lines[irq].nr_disabled--;
		wrong = false;
	}
	spin_unlock_irqrestore(&lock, saved);
	WARN(wrong && irq < NR_LINES, "Unbalanced enable for IRQ %d\n", (int)irq);
}

/* Handlers run under the lock. */
void synchronize_irq(unsigned int irq)
{
	unsigned long saved;

	(void)irq;
	spin_lock_irqsave(&lock, saved);
	spin_unlock_irqrestore(&lock, saved);
}

int generic_handle_irq(unsigned int irq)
{
	unsigned long saved;

	if (irq >= NR_LINES)
		return -EINVAL;
	spin_lock_irqsave(&lock, saved);
	usermm_cpu_hold(HARDIRQ_OFFSET);
	if (!lines[irq].nr_disabled)
		for (struct action *a = lines[irq].actions; a; a = a->next) {
			irqreturn_t result = a->handler ? a->handler((int)irq, a->data) :
							  IRQ_WAKE_THREAD;

			if (result == IRQ_WAKE_THREAD && a->thread_function)
				schedule_work(&a->thread);
		}
	usermm_cpu_drop(HARDIRQ_OFFSET);
	spin_unlock_irqrestore(&lock, saved);
	return 0;
}

unsigned long usermm_irq_flags(unsigned int irq)
{
	unsigned long saved, flags = 0;

	spin_lock_irqsave(&lock, saved);
	if (irq < NR_LINES && lines[irq].actions)
		flags = lines[irq].actions->flags;
	spin_unlock_irqrestore(&lock, saved);
	return flags;
}
