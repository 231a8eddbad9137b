#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A program may free by jemalloc's sdallocx() what it never took by mallocx().
#
# Versions: valkey-server 8.1.1 (Debian 13, 8.1.1+dfsg1-3+deb13u3), redis-server 8.0.2
#     (5:8.0.2-3+deb13u3), both linked with libjemalloc2 5.3.0-3.
# One would guess: a program uses jemalloc's own calls in pairs, mallocx() with sdallocx() or
#     dallocx(). So an allocator that is preloaded, and has malloc() and free() alone, leaves those
#     blocks to jemalloc from their first to their last byte, and nothing mixes.
# What happens: valkey takes every block by malloc(), calloc() or realloc(), and frees blocks by
#     sdallocx(), which saves jemalloc a look at the block's size. Under such a preload malloc()
#     is the preloaded allocator's and sdallocx() jemalloc's. Redis has both halves: scripts' memory
#     by mallocx(), all else by malloc(), and one malloc_usable_size() for both.
# Seen: what the programs import.
#       valkey-server    malloc nallocx sdallocx          no mallocx, rallocx, dallocx
#       redis-server     malloc mallocx rallocx dallocx   and malloc_usable_size
# Why it matters: an allocator to be preloaded has to bring the whole family, or the first free of
#     such a program is of a block that its heap does not know. usermm's is usermm/mallocx.h.
. "$(dirname "$0")/root.sh"

debian_root trixie valkey-server=8.1.1+dfsg1-3+deb13u3 redis-server=5:8.0.2-3+deb13u3 \
	libjemalloc2=5.3.0-3 binutils=2.44-3

# Which of the names the program wants from its libraries, in one line.
imports()
{
	inside nm -D --undefined-only "/usr/bin/$1" | sed 's/@.*//' |
		grep -woE 'malloc|mallocx|rallocx|dallocx|sdallocx|nallocx|malloc_usable_size' |
		LC_ALL=C sort -u | tr '\n' ' '
}

expect "what valkey-server imports" "malloc nallocx sdallocx " "$(imports valkey-server |
	sed 's/malloc_usable_size //')"
expect "what redis-server imports" "dallocx malloc malloc_usable_size mallocx nallocx rallocx " \
	"$(imports redis-server)"
