/* SPDX-License-Identifier: MIT */
/* Two words that are read, written and computed with at once, by one instruction each. */
#ifndef BASE_WORD_PAIR_H
#define BASE_WORD_PAIR_H

/* Of whatever type the memory is; where it is aligned to 16 bytes, or anywhere. */
typedef unsigned long word_pair __attribute__((__vector_size__(16), __may_alias__));
typedef word_pair word_pair_anywhere __attribute__((__aligned__(1)));

#endif
