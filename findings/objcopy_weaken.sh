#!/bin/sh
# SPDX-License-Identifier: MIT
#
# GNU objcopy --weaken also weakens what the object lacks, so a missing helper links as address 0.
#
# Versions: GNU objcopy 2.40 (Debian 12, binutils 2.40-2) and llvm-objcopy 14.0.6 (llvm-14
#     1:14.0.6-12) run here; GNU 2.44 (Debian 13) and 2.47 do as 2.40 does.
# One would guess: --weaken makes the definitions weak, so that a program may have its own; what
#     the object needs from elsewhere it goes on needing. llvm-objcopy does just that.
# What happens: GNU objcopy makes every global name weak, undefined ones too, and a weak reference
#     that nobody defines is no error. --weaken-symbol, with a name or a pattern, has the same
#     reach in both tools: so the pattern must match the object's own names alone.
# Seen: nm after --weaken:        w __udivti3, W divide     (llvm-objcopy: U __udivti3, W divide)
#       linked without libgcc:    no error, and __udivti3 is no address: w in nm of the program
# Why it matters: allocators make their names weak in this way, so that they give way to the
#     program's. Their code has calls that only the compiler knows of: 128-bit division, atomics
#     out of line, memcpy(). If one is missing the link succeeds, and the call goes to address 0
#     the first time that such a path is taken.
. "$(dirname "$0")/root.sh"

debian_root bookworm gcc-12=12.2.0-14+deb12u1 binutils=2.40-2 llvm-14=1:14.0.6-12 libc6-dev
cat > "$root/work/divide.c" <<'END'
unsigned __int128 divide(unsigned __int128 a, unsigned __int128 b)
{
	return a / b;
}
END
echo 'int main(void) { return 0; }' > "$root/work/main.c"
inside gcc-12 -O2 -c divide.c -o divide.o || cannot_tell "gcc failed"

# Answers the kinds and names that the tool and its options leave.
names_after()
{
	inside "$@" divide.o weak.o || cannot_tell "$1 failed"
	names_in weak.o
}
names_in()
{
	inside nm "$1" | grep -E ' (__udivti3|divide)$' | sed 's/^ *[0-9a-f]* *//' | sort |
		paste -s -d ,
}
# Links main.c and the object without libgcc; its error is the last line.
linked()
{
	inside gcc-12 main.c "$1" -nodefaultlibs -lc -o main 2> "$root/log"
}

expect "before" "T divide,U __udivti3" "$(names_in divide.o)"
expect "llvm-objcopy --weaken" "U __udivti3,W divide" "$(names_after llvm-objcopy-14 --weaken)"
if linked weak.o; then expect "its link" "an error" "none"; fi
for tool in objcopy llvm-objcopy-14; do
	expect "$tool --weaken-symbol" "T divide,w __udivti3" \
		"$(names_after $tool --weaken-symbol=__udivti3)"
done
if linked divide.o; then expect "link as it was" "an error" "none"; fi
expect "objcopy --weaken" "W divide,w __udivti3" "$(names_after objcopy --weaken)"
linked weak.o || expect "its link" "no error" "$(tail -n 1 "$root/log")"
expect "names in the program" "W divide,w __udivti3" "$(names_in main)"
echo "GNU objcopy 2.40 --weaken: a program without __udivti3() links; llvm-objcopy's does not"
