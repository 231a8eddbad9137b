#!/bin/sh
# SPDX-License-Identifier: MIT
# What the security module of guard.c allows, and what it refuses.
checks=0
refuses() {	# TEXT COMMAND...: the system's message has the text
	text=$1
	shift
	if got=$("$@" 2>&1); then echo "$* succeeds" >&2; exit 1; fi
	case $got in *"$text"*) ;; *) echo "$*: $got" >&2; exit 1 ;; esac
	checks=$((checks + 1))
}

export LC_ALL=C
refuses "Operation not permitted" dd if=/proc/guard_o of=/dev/null
refuses "resource busy" dd if=/proc/guard_p of=/dev/null
dd if=/dev/zero of=/proc/guard_p bs=1 count=1 conv=notrunc 2>/dev/null || exit 1
refuses "Read-only" dd if=/dev/zero of=/proc/guard_w bs=1 count=1 conv=notrunc
refuses "Permission denied" dd if=/dev/zero of=/proc/guard_i bs=1 count=1 conv=notrunc
refuses "Stale" stat /proc/guard_s
stat /proc/guard_w >/dev/null || exit 1
# This file itself is the one that is open.
[ "$(cat /proc/guard)" = "files 1, released 3, boot 1" ] || { cat /proc/guard; exit 1; }
echo 1 >/sys/module/guard/parameters/no_capability
case $(cat /proc/guard) in *"boot 0") ;; *) exit 1 ;; esac
echo "$checks checks"
