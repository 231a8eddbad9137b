/* SPDX-License-Identifier: MIT */
/* Disables and enables this CPU's interrupts. Saved flags are 0x200 if interrupts are on. */
#ifndef KERNEL_LINUX_IRQFLAGS_H
#define KERNEL_LINUX_IRQFLAGS_H

#include <asm/current.h>
#include <asm/msr-index.h>
#include <asm/percpu.h>
#include <linux/cleanup.h>
#include <linux/static_key.h>
#include <linux/typecheck.h>

#define USERMM_IRQ_FLAG 0x200UL

static __always_inline bool irqs_disabled(void)
{
	return usermm_self()->count & USERMM_IRQS_OFF;
}

static __always_inline void local_irq_disable(void)
{
	if (!irqs_disabled())
		usermm_cpu_hold(USERMM_IRQS_OFF);
}

static __always_inline void local_irq_enable(void)
{
	if (irqs_disabled())
		usermm_cpu_drop(USERMM_IRQS_OFF);
}

static __always_inline unsigned long usermm_irq_save(void)
{
	if (irqs_disabled())
		return 0;
	usermm_cpu_hold(USERMM_IRQS_OFF);
	return USERMM_IRQ_FLAG;
}

static __always_inline void usermm_irq_restore(unsigned long flags)
{
	if (flags & USERMM_IRQ_FLAG)
		local_irq_enable();
	else
		local_irq_disable();
}

#define local_irq_save(flags)						\
	do {								\
		(void)typecheck(unsigned long, flags);			\
		(flags) = usermm_irq_save();				\
	} while (0)
#define local_irq_restore(flags)					\
	do {								\
		(void)typecheck(unsigned long, flags);			\
		usermm_irq_restore(flags);				\
	} while (0)
#define local_save_flags(flags) \
	((void)((flags) = irqs_disabled() ? 0 : USERMM_IRQ_FLAG))
#define irqs_disabled_flags(flags) (!((flags) & USERMM_IRQ_FLAG))
#define raw_irqs_disabled() irqs_disabled()
#define raw_local_irq_disable() local_irq_disable()
#define raw_local_irq_enable() local_irq_enable()
#define raw_local_irq_save(flags) local_irq_save(flags)
#define raw_local_irq_restore(flags) local_irq_restore(flags)

#endif
