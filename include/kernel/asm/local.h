/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_LOCAL_H
#define KERNEL_ASM_LOCAL_H

#include <linux/atomic.h>
#include <linux/percpu.h>

/* A counter that only its own CPU changes, perhaps in interrupts. */
typedef struct {
	atomic_long_t a;
} local_t;

#define LOCAL_INIT(value) { ATOMIC_LONG_INIT(value) }
#define local_read(l) atomic_long_read(&(l)->a)
#define local_set(l, value) atomic_long_set(&(l)->a, value)
#define local_inc(l) atomic_long_inc(&(l)->a)
#define local_dec(l) atomic_long_dec(&(l)->a)
#define local_add(n, l) atomic_long_add(n, &(l)->a)
#define local_sub(n, l) atomic_long_sub(n, &(l)->a)
#define local_inc_return(l) atomic_long_inc_return(&(l)->a)
#define local_dec_return(l) atomic_long_dec_return(&(l)->a)
#define local_add_return(n, l) atomic_long_add_return(n, &(l)->a)
#define local_sub_return(n, l) atomic_long_sub_return(n, &(l)->a)
#define local_dec_and_test(l) atomic_long_dec_and_test(&(l)->a)
#define local_inc_and_test(l) atomic_long_inc_and_test(&(l)->a)
#define local_cmpxchg(l, old, new) atomic_long_cmpxchg(&(l)->a, old, new)
#define local_xchg(l, new) atomic_long_xchg(&(l)->a, new)

#endif
