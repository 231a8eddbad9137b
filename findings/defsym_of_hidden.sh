#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Four linkers make four things of --defsym=ALIAS=NAME, where NAME is hidden.
#
# Versions: GNU ld and gold 2.40 (Debian 12, binutils 2.40-2), lld 14.0.6 (1:14.0.6-12), mold 1.10.1
#     (1.10.1+dfsg-1). lld 16 and 19 do as 14 does; mold 2.37.1 types the alias of the thread's
#     variable as TLS, else it does as 1.10.1.
# One would guess: the alias is one more name for the same thing, with its type and visibility; or
#     it is a plain global name, and exported.
# What happens (.dynsym of the shared library, for a variable, a thread's variable, a function):
#       GNU ld   none of them: local names
#       gold     all, GLOBAL HIDDEN: in the table for others, yet not for them
#       lld      all, GLOBAL DEFAULT: exported
#       mold     all, GLOBAL HIDDEN; the thread's variable is FUNC, the function NOTYPE
# Why it matters: allocators give their inner functions libc's names, or a second prefix, by the
#     linker. With lld that exports what was to be hidden and takes the place of the program's;
#     with the others the alias does not help whoever looks for it, and nothing is said.
#     Aliases by the compiler's attribute are the same everywhere.
. "$(dirname "$0")/root.sh"

debian_root bookworm gcc-12=12.2.0-14+deb12u1 binutils=2.40-2 mold=1.10.1+dfsg-1 \
	lld-14=1:14.0.6-12 libc6-dev
ln -s lld-14 "$root/usr/bin/ld.lld"
cat > "$root/work/hidden.c" <<'END'
#define HIDDEN __attribute__((visibility("hidden")))

HIDDEN int hidden_word = 7;
HIDDEN __thread int hidden_tls = 8;

HIDDEN int hidden_function(void)
{
	return hidden_word + hidden_tls;
}

int shown(void)
{
	return hidden_function();
}
END

# Answers type, binding and visibility of the aliases that are in .dynsym.
aliases_by()
{
	inside gcc-12 -O2 -fPIC -shared "-fuse-ld=$1" hidden.c -Wl,--defsym=word=hidden_word \
		-Wl,--defsym=tls=hidden_tls -Wl,--defsym=function=hidden_function -o hidden.so ||
		cannot_tell "$1 failed"
	inside readelf --dyn-syms -W hidden.so |
		awk '$8 ~ /^(word|tls|function)$/ { print $8, $4, $5, $6 }' | sort | paste -s -d ,
}

expect "GNU ld" "" "$(aliases_by bfd)"
expect "gold" "function FUNC GLOBAL HIDDEN,tls TLS GLOBAL HIDDEN,word OBJECT GLOBAL HIDDEN" \
	"$(aliases_by gold)"
expect "lld" "function FUNC GLOBAL DEFAULT,tls TLS GLOBAL DEFAULT,word OBJECT GLOBAL DEFAULT" \
	"$(aliases_by lld)"
expect "mold" "function NOTYPE GLOBAL HIDDEN,tls FUNC GLOBAL HIDDEN,word OBJECT GLOBAL HIDDEN" \
	"$(aliases_by mold)"
echo "--defsym of a hidden name: local by GNU ld, hidden by gold and mold, exported by lld"
