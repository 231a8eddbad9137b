#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A program whose file is replaced while it runs has no names any more for elfutils.
#
# Versions: elfutils 0.192 (Debian 13, 0.192-4).
# One would guess: a reader of a process finds its modules through /proc. /proc/PID/map_files has
#     the very file that is mapped, also after a package manager has put another in its place.
# What happens: libdwfl takes the path from /proc/PID/maps, with " (deleted)" at its end, and opens
#     that in its own mount namespace. There is no such file, so the module has no symbols. The same
#     happens for a process of a container whose files the reader has not got at the same path.
# Seen: "known_function" before the replacement; "??" after it, while eu-readelf finds
#     known_function in /proc/PID/map_files.
# Why it matters: what watches allocations from outside must live longer than an upgrade. Ours
#     gives libdwfl a function of its own to find files (tools/inspect/target).
. "$(dirname "$0")/root.sh"

debian_root trixie elfutils=0.192-4 gcc-14=14.2.0-19 libc6-dev=2.41-12+deb13u5 dash grep sed

cat > "$root/work/program.c" <<'END'
#include <stdio.h>
#include <unistd.h>

__attribute__((noinline)) void known_function(void)
{
	sleep(60);
}

int main(void)
{
	printf("%p\n", (void *)known_function);
	fflush(stdout);
	known_function();
}
END
cat > "$root/work/try" <<'END'
gcc-14 -g -o program program.c && cp program upgraded || exit 2
mkfifo line
./program > line &
pid=$!
read -r address < line
name()
{
	eu-addr2line -f -p "$pid" "$address" | sed -n 1p
}
before=$(name)
mv upgraded program
after=$(name)
range=$(sed -n 's/ .*program (deleted)$//p' "/proc/$pid/maps" | sed -n 1p)
mapped=$(eu-readelf -s "/proc/$pid/map_files/$range" | grep -c known_function)
kill "$pid"
echo "$before $after $mapped"
END
mkdir -p "$root/proc"
[ "$(id -u)" = 0 ] && user= || user="--user --map-root-user"
# The mount ends with the namespace.
# shellcheck disable=SC2086
seen=$(unshare $user --mount --pid --fork --mount-proc="$root/proc" chroot "$root" \
	/usr/bin/env -C /work PATH=/usr/bin:/usr/sbin sh try) ||
	cannot_tell "needs namespaces of mounts and processes"
expect "name before, name after, symbols in map_files" "known_function ?? 1" "$seen"
