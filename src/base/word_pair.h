/* SPDX-License-Identifier: MIT */
/* Two words that one instruction reads, writes or computes with. */
#ifndef BASE_WORD_PAIR_H
#define BASE_WORD_PAIR_H

/* The memory may have any type. word_pair needs alignment to 16 bytes, the other one none. */
typedef unsigned long word_pair __attribute__((__vector_size__(16), __may_alias__));
typedef word_pair word_pair_anywhere __attribute__((__aligned__(1)));

#endif
