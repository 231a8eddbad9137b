/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_POISON_H
#define _LINUX_POISON_H

#ifndef LIST_POISON1
#define LIST_POISON1 ((void *)0xdead000000000100UL)
#define LIST_POISON2 ((void *)0xdead000000000122UL)
#endif
#define PAGE_POISON 0xaa
#define SLUB_RED_INACTIVE 0xbb
#define SLUB_RED_ACTIVE 0xcc
#define POISON_INUSE 0x5a
#define POISON_FREE 0x6b
#define POISON_END 0xa5
#define POISON_FREE_INITMEM 0xcc
#define PP_SIGNATURE 0xdead000000000040UL

#endif
