#!/bin/sh
# SPDX-License-Identifier: MIT
# Reads and writes the channels of measures.c.
checks=0

is() {
	checks=$((checks + 1))
	[ "$(cat "$1")" = "$2" ] || { echo "$1: '$(cat "$1")' is not '$2'" >&2; exit 1; }
}

fails() {
	checks=$((checks + 1))
	! "$@" 2>/dev/null || { echo "$*: no error" >&2; exit 1; }
}

put() {
	echo "$1" >"$2"
}

cd /sys/bus/iio/devices/iio:device0 || exit
is name measures
is in_voltage0_raw 100
is in_voltage1-voltage2_raw 101
is out_voltage3_raw 103
is out_voltage3_powerdown "3 7"
is in_voltage_scale 0.000000
put 1.25 in_voltage_scale && is in_voltage_scale 1.250000
put -0.5 in_voltage_scale && is in_voltage_scale -0.500000
put -3.0000019 in_voltage_scale && is in_voltage_scale -3.000001
put 5 in_voltage0_offset && is in_voltage0_offset 5
is in_voltage0_offset_available "[-5 1 5]"
is sampling_frequency 12.500000
is sampling_frequency_available "10.000000 12.500000 100.000000"
is in_accel_x_input 3.142857142
is in_accel_calibbias -0.000000500
is in_temp_case_scale -0.250000000
is in_temp_case_label case
is constant "1 2 3"
is own "measures 33"
fails cat in_temp_case_raw
fails put 1 in_voltage0_raw
fails put one in_voltage_scale
fails put 1.5 in_voltage0_offset
fails put 1 out_voltage3_powerdown
[ ! -e in_timestamp_raw ] || exit
echo "$checks checks"
