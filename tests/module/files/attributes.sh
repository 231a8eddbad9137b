#!/bin/sh
# SPDX-License-Identifier: MIT
# Files of the module attributes.c. Each check is `is WHAT EXPECTED`.
nr=0
is() {
	nr=$((nr + 1))
	if [ "$1" != "$2" ]; then
		echo "check $nr: '$1' in place of '$2'"
		failed=1
	fi
}
proc=/proc/attributes sys=/sys/kernel/attributes debug=/sys/kernel/debug/attributes

is "$(cat $proc/items)" "item a
item b
item c"
echo more >$proc/items
is "$(tail -n 1 $proc/items)" "item more"
is "$(grep -c item $proc/items)" 4
is "$(sed -n 's/item b/found/p' $proc/items)" found
is "$(awk '{ n++ } END { print n }' <$proc/items)" 4
is "$(while read word text; do printf '%s-' "$text"; done <$proc/items)" a-b-c-more-
is "$(/bin/echo 0123456789012345678901234567890123456789 2>&1 >$proc/items | grep -o 'Invalid.*')" \
	"Invalid argument"
is "$(cat $proc/who)" "cat $(id -u) 1"
is "$(cd $proc && cat who)" "$(cat $proc/who)"
is "$(ls $proc)" "items
who"
is "$(cd /proc/attributes/.. && cat ./attributes//who | wc -l)" 1
is "$(cat /sys/module/attributes/parameters/nr)" 3

is "$(cat $sys/level)" 5
echo 7 >$sys/level
is "$(cat $sys/level)" 7
printf 8 | tee $sys/level >/dev/null
is "$(cat $sys/level)" 8
is "$( (/bin/echo 10 >$sys/level) 2>&1 | grep -o 'out of range')" "out of range"
is "$( (bash -c "echo x >$sys/level") 2>&1 | grep -o 'Invalid.*')" "Invalid argument"
is "$(bash -c "echo 3 >$sys/level; read n <$sys/level; echo \$n")" 3
is "$(stat -c '%F %a %s' $sys/level)" "regular file 644 4096"

is "$(cat $debug/number $debug/flag $debug/square)" "7
N
0"
echo 0x10 >$debug/number
echo y >$debug/flag
echo 9 >$debug/square
is "$(cat $debug/number $debug/flag $debug/square)" "16
Y
81"
is "$(echo $debug/*)" "$debug/flag $debug/number $debug/square"

is "$(cat /sys/class/attributes/shown /sys/class/attributes/added)" "shown of attributes
added of attributes"

is "$(stat -c '%F %a %t' /dev/attributes)" "character special file 666 a"
[ -c /dev/attributes ] || is "no device" ""
[ -w /dev/attributes ] || is "not writable" ""
is "$(cat /dev/attributes)" 0123456789abcdef
is "$(dd if=/dev/attributes bs=1 skip=10 count=3 status=none)" abc
printf XY | dd of=/dev/attributes bs=1 seek=4 status=none
is "$(head -c 8 </dev/attributes)" 0123XY67
is "$(python3 -c '
import os
fd = os.open("/dev/attributes", os.O_RDWR)
print(os.pwritev(fd, [b"X", b"YZ"], 3), os.preadv(fd, [bytearray(2), bytearray(4)], 3))
print(os.path.realpath("/dev/./attributes"), os.pread(fd, 4, 3))')" "3 6
/dev/attributes b'XYZ6'"
is "$(python3 -c 'import os; os.truncate(os.open("/dev/attributes", os.O_RDWR), 0)' 2>&1 |
	grep -o 'Errno [0-9]*')" "Errno 22"
printf 3XY6 | dd of=/dev/attributes bs=1 seek=3 status=none
exec 3<>/dev/attributes
printf ab >&3
is "$(cat <&3)" 23XY6789abcdef
exec 3>&-
is "$(md5sum </dev/attributes)" "$(printf 'ab23XY6789abcdef' | md5sum)"

is "$(cat /proc/self/comm)" cat
is "$(cat /dev/nothing-there 2>&1 | grep -o 'No such.*')" "No such file or directory"
is "$(cat $proc 2>&1 | grep -o 'Is a.*')" "Is a directory"
is "$(python3 -c '
import ctypes
found = ctypes.create_string_buffer(256)
print(*(ctypes.CDLL(None).glob(name, 0, None, found) for name in (b"/sys/kernel/attributes/l*", b"/x*")))'
	)" "0 3"

# A program cannot make, rename or remove such a file: the errors are Linux's.
error() {
	"$@" 2>&1 | sed 's/.*: //'
}
is "$(error rm -f $proc/who)" "Operation not permitted"
is "$(error mv $sys/level $sys/other)" "Operation not permitted"
is "$(error rmdir $proc)" "Operation not permitted"
is "$(error touch $proc/new)" "No such file or directory"
is "$(error mkdir $debug/new)" "Operation not permitted"
is "$(cd $sys && error touch new; error ln -s level link)" "Permission denied
Operation not permitted"
is "$(cat $proc/who | wc -l)" 1
echo "$nr checks"
exit ${failed:-0}
