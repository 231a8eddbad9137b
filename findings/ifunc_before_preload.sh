#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A library that is preloaded can be called before the loader has relocated it.
#
# Versions: glibc 2.41 (Debian 13, libc6 2.41-12+deb13u5).
# One would guess: a library of LD_PRELOAD is the first in the order of search, and depends on
#     nothing, so it is ready before a library of the program calls it.
# What happens: the loader relocates the libraries from the last to the first. A library of the
#     program that uses an indirect function (IFUNC) is relocated before the preloaded one, and the
#     resolver runs at that moment. The resolver's call is bound to the preloaded library all the
#     same. There even a static pointer is still the number that stands in the file. The constructor
#     of the preloaded library runs much later.
# Seen: "resolver: not relocated", then "main: relocated". Without the indirection, in the same
#     library: "main: relocated" alone.
# Why it matters: a preloaded malloc() may be called before its first pointer is right, so it must
#     be able to serve from data that needs no relocation. Ours does (src/malloc/early_blocks.c).
. "$(dirname "$0")/root.sh"

debian_root trixie gcc-14=14.2.0-19 libc6-dev=2.41-12+deb13u5

cat > "$root/work/preloaded.c" <<'END'
static int value = 1;
static int *volatile pointer = &value;

/* The difference needs no relocation; the pointer does. */
int is_relocated(void)
{
	return (char *)pointer == (char *)&value;
}
END
cat > "$root/work/library.c" <<'END'
int is_relocated(void);
int seen_by_resolver = -1;

static int one(void)
{
	return 1;
}

#ifdef INDIRECT
static int (*resolve(void))(void)
{
	extern int seen_by_resolver __attribute__((visibility("hidden")));

	seen_by_resolver = is_relocated();
	return one;
}
static int chosen(void) __attribute__((ifunc("resolve")));
#else
#define chosen one
#endif

int get_one(void)
{
	return chosen();
}

int what_was_seen(void)
{
	extern int seen_by_resolver __attribute__((visibility("hidden")));

	return seen_by_resolver;
}
END
# The program's own is_relocated() would not be called: the preloaded one comes first.
cat > "$root/work/stand_in.c" <<'END'
int is_relocated(void)
{
	return 2;
}
END
cat > "$root/work/main.c" <<'END'
#include <stdio.h>

int get_one(void), what_was_seen(void), is_relocated(void);

int main(void)
{
	static const char *const names[] = { "not relocated", "relocated", "another library" };

	if (get_one() && what_was_seen() >= 0)
		printf("resolver: %s, ", names[what_was_seen()]);
	printf("main: %s\n", names[is_relocated()]);
	return 0;
}
END

build() {
	inside gcc-14 -shared -fPIC -O1 -o libstand_in.so stand_in.c &&
	inside gcc-14 -shared -fPIC -O1 -o libpreloaded.so preloaded.c &&
	inside gcc-14 -shared -fPIC -O1 $1 -o liblibrary.so library.c -L. -lstand_in &&
	inside gcc-14 -O1 -o main main.c -L. -llibrary -lstand_in -Wl,-rpath,. ||
		cannot_tell "the program does not compile"
}

build -DINDIRECT
expect "with an indirect function" "resolver: not relocated, main: relocated" \
	"$(inside env LD_LIBRARY_PATH=. LD_PRELOAD=./libpreloaded.so LD_BIND_NOW=1 ./main)"
build -DDIRECT
expect "without one" "main: relocated" \
	"$(inside env LD_LIBRARY_PATH=. LD_PRELOAD=./libpreloaded.so LD_BIND_NOW=1 ./main)"
