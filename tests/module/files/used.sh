#!/bin/sh
# SPDX-License-Identifier: MIT
# Looks at used.c as lsmod does, with its files open and closed.
checks=0
is() {		# GOT WANTED
	[ "$1" = "$2" ] || { echo "'$1', not '$2'" >&2; exit 1; }
	checks=$((checks + 1))
}
users() {	# N: by /proc and by /sys
	is "$(grep '^used ' /proc/modules)" "used 16384 $1 - Live 0x0000000000000000 (O)"
	is "$(cat /sys/module/used/refcnt)" "$1"
}

is "$(wc -l </proc/modules)" 1
users 0
exec 3</proc/used
users 0
exec 3</dev/used_misc
users 1
exec 4</dev/used_misc
users 2
exec 3<&- 4<&-
users 0
exec 3</sys/kernel/debug/used
users 1
exec 3</dev/used_char		# the device's owner, and that of its operations
users 2
exec 3<&-
if dd if=/dev/used_char iflag=nonblock of=/dev/null 2>/dev/null; then exit 1; fi
if dd if=/dev/used_misc iflag=nonblock of=/dev/null 2>/dev/null; then exit 1; fi
users 0

m=/sys/module/used
is "$(cat $m/initstate)" live
is "$(cat $m/coresize)" 16384
is "$(cat $m/taint)" O
is "$(cat $m/version)" 1.5
is "$(cat $m/answer)" "used 42"
is "$(cat $m/parameters/level)" 4
echo 7 >$m/parameters/level
is "$(cat $m/parameters/level)" 7
is "$(ls $m/holders)" ""
[ -d $m/below ] && [ ! -e $m/parameters/pinned ] || exit 1
if (echo 1 >$m/refcnt) 2>/dev/null || (echo x >$m/parameters/level) 2>/dev/null; then exit 1; fi
if command -v lsmod >/dev/null; then
	is "$(lsmod | awk '$1 == "used" { print $2, $3 }')" "16384 0"
fi
echo "$checks checks"
