/* SPDX-License-Identifier: MIT */
/* The kernel configuration that sources see: a 64-bit SMP kernel. */
#ifndef KERNEL_GENERATED_AUTOCONF_H
#define KERNEL_GENERATED_AUTOCONF_H

#define CONFIG_64BIT 1
#define CONFIG_BUG 1
#define CONFIG_DEBUG_FS 1
#define CONFIG_HZ 250
#define CONFIG_HZ_250 1
#define CONFIG_KFENCE 1
#define CONFIG_KFENCE_NUM_OBJECTS 255
#define CONFIG_KFENCE_SAMPLE_INTERVAL 100
#define CONFIG_KUNIT 1
#define CONFIG_MMU 1
#define CONFIG_MODULES 1
#define CONFIG_MODULE_UNLOAD 1
#define CONFIG_NODES_SHIFT 0
#define CONFIG_NR_CPUS 64
#define CONFIG_PRINTK 1
#define CONFIG_PROC_FS 1
#define CONFIG_SLUB 1
#define CONFIG_SMP 1
#define CONFIG_SYSFS 1
#define CONFIG_USERMM 1
#if defined(__x86_64__)
#define CONFIG_X86 1
#define CONFIG_X86_64 1
#define CONFIG_X86_TSC 1
#elif defined(__aarch64__)
#define CONFIG_ARM64 1
#elif defined(__riscv)
#define CONFIG_RISCV 1
#elif defined(__s390x__)
#define CONFIG_S390 1
#elif defined(__powerpc64__)
#define CONFIG_PPC 1
#define CONFIG_PPC64 1
#elif defined(__loongarch64)
#define CONFIG_LOONGARCH 1
#endif
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define CONFIG_CPU_BIG_ENDIAN 1
#endif

#endif
