#!/bin/sh
# SPDX-License-Identifier: MIT
# Reads and writes what classes.c has made.
checks=0
is() {		# FILE TEXT
	got=$(cat "$1") || exit 1
	[ "$got" = "$2" ] || { echo "$1 has '$got', not '$2'" >&2; exit 1; }
	checks=$((checks + 1))
}
refuses() {	# FILE TEXT: the write fails
	if (echo "$2" >"$1") 2>/dev/null; then echo "$1 takes $2" >&2; exit 1; fi
	checks=$((checks + 1))
}
puts() {	# FILE TEXT RESULT
	echo "$2" >"$1" || exit 1
	is "$1" "$3"
}

h=/sys/class/hwmon/hwmon0
is $h/name demo
is $h/temp1_input 1000
is $h/temp2_input 1001
is $h/temp1_label board
[ ! -e $h/temp2_label ] || exit 1
is $h/in0_input 2000
is $h/pwm1 9000
puts $h/temp1_max 80000 80000
refuses $h/temp1_max -1
refuses $h/temp1_max much

p=/sys/class/power_supply/battery
is $p/type Battery
is $p/status Discharging
is $p/capacity 77
is $p/model_name cell
refuses $p/capacity 5

t=/sys/class/thermal
is $t/thermal_zone0/type zone
is $t/thermal_zone0/temp 45000
is $t/thermal_zone0/mode disabled
puts $t/thermal_zone0/mode enabled enabled
refuses $t/thermal_zone0/mode maybe
is $t/cooling_device0/max_state 3
puts $t/cooling_device0/cur_state 2 2
refuses $t/cooling_device0/cur_state 4

b=/sys/class/backlight/panel
is $b/max_brightness 100
puts $b/brightness 60 60
refuses $b/brightness 101
refuses $b/brightness 13
is $b/actual_brightness 60

s=/proc/sys/kernel/classes
is $s/number 5
puts $s/number 0x9 9
refuses $s/number 11
refuses $s/number 9z
puts $s/pair "-3 4" "-3	4"
puts $s/pair "7" "7	4"
puts $s/count 100 100
refuses $s/count 101
refuses $s/count -1
is $s/fixed 100
refuses $s/fixed 1
puts $s/flag 2 1
puts $s/byte 255 255
refuses $s/byte 256
puts $s/delay 200 200
puts $s/text "much too long" "much to"

# The device's interrupts: a read waits for one, and has how many there were.
is /sys/class/uio/uio0/name card
exec 3<>/dev/uio0
printf '\1\0\0\0' >&3
[ "$(dd bs=4 count=1 <&3 2>/dev/null | od -An -td4 | tr -d ' ')" = 1 ] || exit 1
is /sys/class/uio/uio0/event 1
echo "$checks checks"
