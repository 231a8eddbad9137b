/* SPDX-License-Identifier: MIT */
/* Devices whose driver is a program. /dev/uioN is one: a read waits for an interrupt. */
#ifndef _UIO_DRIVER_H_
#define _UIO_DRIVER_H_

#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/interrupt.h>
#include <linux/wait.h>
#include <usermm/compiler.h>

#define MAX_UIO_MAPS 5
#define MAX_UIO_PORT_REGIONS 5
#define UIO_IRQ_CUSTOM -1
#define UIO_IRQ_NONE 0
#define UIO_MEM_NONE 0
#define UIO_MEM_PHYS 1
#define UIO_MEM_LOGICAL 2
#define UIO_MEM_VIRTUAL 3
#define UIO_MEM_IOVA 4
#define UIO_MEM_DMA_COHERENT 5
#define UIO_PORT_NONE 0
#define UIO_PORT_X86 1
#define UIO_PORT_OTHER 3

struct uio_mem {
	const char *name;
	phys_addr_t addr;
	dma_addr_t dma_addr;
	unsigned long offs;
	resource_size_t size;
	int memtype;
	void __iomem *internal_addr;
	struct device *dma_device;
};

struct uio_port {
	const char *name;
	unsigned long start, size;
	int porttype;
};

struct uio_device;

struct uio_info {
	struct uio_device *uio_dev;
	const char *name, *version;
	struct uio_mem mem[MAX_UIO_MAPS];
	struct uio_port port[MAX_UIO_PORT_REGIONS];
	long irq;
	unsigned long irq_flags;
	void *priv;
	irqreturn_t (*handler)(int irq, struct uio_info *info);
	int (*mmap)(struct uio_info *info, struct vm_area_struct *vma);
	int (*open)(struct uio_info *info, struct inode *inode);
	int (*release)(struct uio_info *info, struct inode *inode);
	int (*irqcontrol)(struct uio_info *info, s32 on);
};

USERMM_BEGIN_DECLS

/* 0; -EINVAL without a parent, a name or a version; the errors of request_irq(). */
int __uio_register_device(struct module *owner, struct device *parent, struct uio_info *info)
	USERMM_API(__uio_register_device);
void uio_unregister_device(struct uio_info *info) USERMM_API(uio_unregister_device);
int __devm_uio_register_device(struct module *owner, struct device *parent,
			       struct uio_info *info) USERMM_API(__devm_uio_register_device);
/* Wakes those who read and poll the file, as an interrupt does. */
void uio_event_notify(struct uio_info *info) USERMM_API(uio_event_notify);

USERMM_END_DECLS

#define uio_register_device(parent, info) __uio_register_device(THIS_MODULE, parent, info)
#define devm_uio_register_device(parent, info) \
	__devm_uio_register_device(THIS_MODULE, parent, info)

#endif
