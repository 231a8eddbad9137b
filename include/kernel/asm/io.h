/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_IO_H
#define KERNEL_ASM_IO_H

#include <asm/byteorder.h>
#include <asm/irqflags.h>
#include <asm/page.h>
#include <asm/special_insns.h>
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/pfn.h>
#include <linux/sizes.h>
#include <linux/static_key.h>
#include <linux/types.h>
#if __has_include(<sys/io.h>)
#include <sys/io.h>		/* libc's functions for ports come before the macros below */
#endif

/*
 * Registers of devices, which are little-endian; __raw_ ones have the CPU's order. ioremap()
 * gives ordinary memory: it reads as what was last written, at first 0. No port answers: reading
 * one gives ones, and writing has no effect.
 */
#define __raw_readb(address) (*(const volatile u8 __force *)(address))
#define __raw_readw(address) (*(const volatile u16 __force *)(address))
#define __raw_readl(address) (*(const volatile u32 __force *)(address))
#define __raw_readq(address) (*(const volatile u64 __force *)(address))
#define __raw_writeb(value, address) ((void)(*(volatile u8 __force *)(address) = (value)))
#define __raw_writew(value, address) ((void)(*(volatile u16 __force *)(address) = (value)))
#define __raw_writel(value, address) ((void)(*(volatile u32 __force *)(address) = (value)))
#define __raw_writeq(value, address) ((void)(*(volatile u64 __force *)(address) = (value)))
#define readb(address) __raw_readb(address)
#define readw(address) le16_to_cpu(__raw_readw(address))
#define readl(address) le32_to_cpu(__raw_readl(address))
#define readq(address) le64_to_cpu(__raw_readq(address))
#define writeb(value, address) __raw_writeb(value, address)
#define writew(value, address) __raw_writew((__force u16)cpu_to_le16(value), address)
#define writel(value, address) __raw_writel((__force u32)cpu_to_le32(value), address)
#define writeq(value, address) __raw_writeq((__force u64)cpu_to_le64(value), address)
#define readb_relaxed(address) readb(address)
#define readw_relaxed(address) readw(address)
#define readl_relaxed(address) readl(address)
#define readq_relaxed(address) readq(address)
#define writeb_relaxed(value, address) writeb(value, address)
#define writew_relaxed(value, address) writew(value, address)
#define writel_relaxed(value, address) writel(value, address)
#define writeq_relaxed(value, address) writeq(value, address)
#define ioread8(address) readb(address)
#define ioread16(address) readw(address)
#define ioread32(address) readl(address)
#define ioread64(address) readq(address)
#define ioread16be(address) __builtin_bswap16(readw(address))
#define ioread32be(address) __builtin_bswap32(readl(address))
#define ioread64be(address) __builtin_bswap64(readq(address))
#define iowrite8(value, address) writeb(value, address)
#define iowrite16(value, address) writew(value, address)
#define iowrite32(value, address) writel(value, address)
#define iowrite64(value, address) writeq(value, address)
#define iowrite16be(value, address) writew(__builtin_bswap16(value), address)
#define iowrite32be(value, address) writel(__builtin_bswap32(value), address)
#define iowrite64be(value, address) writeq(__builtin_bswap64(value), address)

/* n values of one register, which are bytes as they are. */
#define USERMM_QUEUE(name, type)							\
	static inline void reads##name(const volatile void __iomem *address, void *to, \
				       unsigned int n)				\
	{									\
		for (unsigned int i = 0; i < n; i++) {				\
			type value = *(const volatile type __force *)address;	\
										\
			__builtin_memcpy((char *)to + i * sizeof(value), &value, sizeof(value)); \
		}								\
	}									\
	static inline void writes##name(volatile void __iomem *address, const void *from, \
					unsigned int n)				\
	{									\
		for (unsigned int i = 0; i < n; i++) {				\
			type value;						\
										\
			__builtin_memcpy(&value, (const char *)from + i * sizeof(value), \
					 sizeof(value));			\
			*(volatile type __force *)address = value;		\
		}								\
	}
USERMM_QUEUE(b, u8)
USERMM_QUEUE(w, u16)
USERMM_QUEUE(l, u32)
USERMM_QUEUE(q, u64)
#undef USERMM_QUEUE
#define ioread8_rep(address, to, n) readsb(address, to, n)
#define ioread16_rep(address, to, n) readsw(address, to, n)
#define ioread32_rep(address, to, n) readsl(address, to, n)
#define ioread64_rep(address, to, n) readsq(address, to, n)
#define iowrite8_rep(address, from, n) writesb(address, from, n)
#define iowrite16_rep(address, from, n) writesw(address, from, n)
#define iowrite32_rep(address, from, n) writesl(address, from, n)
#define iowrite64_rep(address, from, n) writesq(address, from, n)
#define memcpy_fromio(to, from, n) ((void)__builtin_memcpy(to, (const void __force *)(from), n))
#define memcpy_toio(to, from, n) ((void)__builtin_memcpy((void __force *)(to), from, n))
#define memset_io(to, byte, n) ((void)__builtin_memset((void __force *)(to), byte, n))
#define mmiowb() ((void)0)

/* libc's <sys/io.h> has functions of these names. */
#define USERMM_PORT(name, type)							\
	static inline type usermm_in##name(unsigned long port)			\
	{									\
		(void)port;							\
		return (type)~0;						\
	}									\
	static inline void usermm_out##name(type value, unsigned long port)	\
	{									\
		(void)value;							\
		(void)port;							\
	}
USERMM_PORT(b, u8)
USERMM_PORT(w, u16)
USERMM_PORT(l, u32)
#define inb(port) usermm_inb(port)
#define inw(port) usermm_inw(port)
#define inl(port) usermm_inl(port)
#define inb_p(port) usermm_inb(port)
#define inw_p(port) usermm_inw(port)
#define inl_p(port) usermm_inl(port)
#define outb(value, port) usermm_outb(value, port)
#define outw(value, port) usermm_outw(value, port)
#define outl(value, port) usermm_outl(value, port)
#define outb_p(value, port) usermm_outb(value, port)
#define outw_p(value, port) usermm_outw(value, port)
#define outl_p(value, port) usermm_outl(value, port)

/* NULL without memory, or for no bytes. */
void __iomem *usermm_ioremap(phys_addr_t start, size_t n)
	__attribute__((visibility("default")));
void usermm_iounmap(const volatile void __iomem *address) __attribute__((visibility("default")));
#define ioremap(start, n) usermm_ioremap(start, n)
#define ioremap_wc(start, n) ioremap(start, n)
#define ioremap_wt(start, n) ioremap(start, n)
#define ioremap_uc(start, n) ioremap(start, n)
#define ioremap_np(start, n) ioremap(start, n)
#define ioremap_cache(start, n) ioremap(start, n)
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 6, 0)
#define ioremap_nocache(start, n) ioremap(start, n)
#else
USERMM_REMOVED(ioremap_nocache, "5.6", "ioremap()")
#endif
#define iounmap(address) usermm_iounmap(address)
#define ioport_map(port, n) ((void)(n), (void __iomem *)(unsigned long)(port))
#define ioport_unmap(address) ((void)(address))

#endif
