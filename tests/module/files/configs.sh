#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes and removes folders of configs.c.
checks=0

is() {
	checks=$((checks + 1))
	[ "$1" = "$2" ] || { echo "$3: '$1' is not '$2'" >&2; exit 1; }
}

fails() {
	checks=$((checks + 1))
	message=$("$@" 2>&1) && { echo "$*: no error" >&2; exit 1; }
	case $message in *"$expected"*) ;; *) echo "$*: $message" >&2; exit 1 ;; esac
}

cd /sys/kernel/config/boxes || exit
is "$(cat count)" "0 boxes" "count"
mkdir one fixed/a-name-that-is-longer-than-its-buffer || exit
is "$(cat count)" "2 boxes" "count"
is "$(ls one)" "bytes
number" "attributes"
echo 17 >one/number
is "$(cat one/number)" 17 "number"
is "$(od -An -td4 one/bytes | tr -d ' ')" 17 "bytes"
# The bytes are written at the end, all at once.
printf '\1\2\3\4' | dd of=one/bytes bs=1 status=none
is "$(od -An -tx1 one/bytes)" " 01 02 03 04" "written bytes"
# dd reads to get to the place, since such a file has no seek; one that was read is not written.
expected="Text file busy" fails dd if=/dev/zero of=one/bytes bs=1 seek=4 count=1
expected="File too large" fails dd if=/dev/zero of=one/bytes bs=17 count=1
expected="Operation not permitted" fails rm one/number
expected="Permission denied" fails touch one/new
is "$(ls fixed)" "a-name-that-is-longer-than-its-buffer
count" "the fixed group"
expected="File exists" fails mkdir one
expected="Invalid argument" fails mkdir bad
expected="Cannot allocate memory" fails mkdir none
expected="Operation not permitted" fails mkdir one/two
expected="Operation not permitted" fails rmdir fixed
expected="Operation not permitted" fails rmdir /sys/kernel/config/boxes
rmdir one fixed/* 2>/dev/null
rmdir fixed/a-name-that-is-longer-than-its-buffer 2>/dev/null
is "$(ls)" "count
fixed" "what stays"
is "$(cat count)" "0 boxes" "count"
mkdir "$TMP/real" && rmdir "$TMP/real" || exit
echo "$checks checks"
