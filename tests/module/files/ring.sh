#!/bin/sh
# SPDX-License-Identifier: MIT
# The device of the module ring.c: blocking reads, poll, and files that close and are inherited.
nr=0
is() {
	nr=$((nr + 1))
	if [ "$1" != "$2" ]; then
		echo "check $nr: '$1' in place of '$2'"
		failed=1
	fi
}
ring=/dev/ring0
used=/sys/class/ring/ring0/used

echo hello >$ring
is "$(cat $used)" 6
is "$(dd if=$ring bs=64 count=1 status=none)" hello
is "$(cat $used)" 0

# A reader that comes first waits for a writer. The script cannot see when it waits, so both orders
# must work.
head -n 1 <$ring >"$TMP/read" &
echo later >$ring
wait $!
is "$(cat "$TMP/read")" later

# A full ring holds its writer back.
head -c 64 /dev/zero | tr '\0' z >$ring
(echo more >$ring) &
is "$(head -c 69 $ring | wc -c)" 69
wait
is "$(cat $used)" 0

# A signal ends a wait, and so does the end of the program.
timeout 0.1 cat $ring
is $? 124
python3 "$(dirname "$0")/ring_poll.py" $ring
is $? 0
is "$( (echo x >$used) 2>&1 | grep -o 'Permission.*')" "Permission denied"
echo "$nr checks"
exit ${failed:-0}
