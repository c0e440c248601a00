#!/bin/sh
# First process of a Linux that runs liboqs' speed programs, each algorithm as often as `list` says, and powers off.
export PATH=/usr/bin:/bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
echo 1 >/proc/sys/kernel/perf_user_access
echo 1 >/proc/sys/kernel/perf_event_paranoid
echo 0 >/proc/sys/kernel/randomize_va_space
while read -r program iterations seed algorithm; do
	echo "run $program $algorithm"
	ITERATIONS=$iterations SEED=$seed "/speed/$program" -d 1 "$algorithm" </dev/null
done </speed/list >/dev/console 2>&1
echo "the end" >/dev/console
poweroff -f
