#!/bin/sh
# First process of the emulated board's Linux. It prepares the system, then obeys the host on the control port, one line at a time;
# launch/mod.rs says which lines there are.
export PATH=/usr/bin:/bin HOME=/

if [ "$1" != inside ]; then
	# The kernel's first root cannot be pivoted away from, which a container runtime does. A mount of it upon itself can.
	mount --bind / /sysroot
	cd /sysroot
	mount --move . /
	exec chroot . /init inside
fi

mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mount -t tmpfs tmpfs /run
mount -t cgroup2 cgroup2 /sys/fs/cgroup
while read -r module; do insmod "/lib/modules/$module"; done </lib/modules/order

set_kernel() { [ -w "$1" ] && echo "$2" >"$1"; }
# Counters are open to programs, as on a board that was set up for measuring.
set_kernel /proc/sys/kernel/perf_user_access 1
set_kernel /proc/sys/kernel/perf_event_paranoid 1
# Where code and data lie changes counts a little; here every start shall be like every other.
set_kernel /proc/sys/kernel/randomize_va_space 0
# What wakes up by itself takes instructions from what is measured.
set_kernel /proc/sys/kernel/watchdog 0
set_kernel /proc/sys/vm/stat_interval 3600
set_kernel /proc/sys/vm/compaction_proactiveness 0
# Large pages only for those who ask, as qemu does for its guest: without them the guest starts seconds later.
set_kernel /sys/kernel/mm/transparent_hugepage/enabled madvise
set_kernel /sys/kernel/mm/transparent_hugepage/defrag madvise
set_kernel /sys/fs/cgroup/cgroup.subtree_control "+cpu +memory +pids"

. /bench/board.conf
ulimit -l unlimited
ulimit -s "$STACK_KIB"

# Device of the virtio port called $1, once the driver has it.
port() {
	while :; do
		for name in /sys/class/virtio-ports/*/name; do
			if read -r found <"$name" && [ "$found" = "$1" ]; then
				name=${name%/name}
				port=/dev/${name##*/}
				return
			fi
		done 2>/dev/null
		sleep 0.05
	done
}
port "$CONTROL_PORT"
# Read and write through one descriptor: a port can be opened once.
exec 3<>"$port"
port "$LINK_PORT"
link=$port

# The device numbers of the port are known only now.
read -r numbers <"/sys/class/virtio-ports/${link##*/}/dev"
bundle() {
	mkdir -p "$2"
	sed -e "s/\"@MAJOR@\"/${numbers%:*}/g" -e "s/\"@MINOR@\"/${numbers#*:}/g" "$1" >"$2/config.json"
}
bundle /bench/config.json /run/bundle.shared
bundle /bench/config.stock.json /run/bundle.stock

say() { echo "$*" >&3; }
fact() { say "fact $1=$2"; }

facts() {
	fact kernel "$(uname -r)"
	fact crun "$(crun --version | head -n 1)"
	fact qemu "$(qemu-system-aarch64 --version | head -n 1)"
	fact cgroup "$(grep -m 1 ' /sys/fs/cgroup ' /proc/mounts | cut -d ' ' -f 3)"
	fact cgroup.controllers "$(cat /sys/fs/cgroup/cgroup.controllers)"
	for space in mnt pid net ipc uts cgroup user; do
		fact "namespace.$space" "$(readlink /proc/self/ns/$space)"
	done
	for setting in perf_user_access perf_event_paranoid randomize_va_space; do
		fact "kernel.$setting" "$(cat /proc/sys/kernel/$setting)"
	done
	fact cpu.features "$(grep -m 1 ^Features /proc/cpuinfo | cut -d : -f 2)"
	say end facts
}

# Each start has a control group of its own, so that the group's peak is that start's. A container has another one, of its runtime's making.
group=/sys/fs/cgroup/start
enter() { echo 0 >"$group/cgroup.procs"; }

# Each is called with the stack: our own memory routines under the provider, or the C library's.
native() {
	enter
	case "$1" in
	stock) exec /bench/stock "$link" ;;
	*) exec /bench/linux "$link" ;;
	esac
}

container() {
	enter
	exec crun run --bundle "/run/bundle.$1" bench
}

unikernel() {
	enter
	exec qemu-system-aarch64 -M "$GUEST_MACHINE" -cpu "$GUEST_CPU" -accel kvm -m "$GUEST_MEMORY_MIB" \
		-nographic -nodefaults -serial file:/dev/console -global virtio-mmio.force-legacy=false \
		-device virtio-serial-device,max_ports=1 -chardev "serial,path=$link,id=c" -device virtconsole,chardev=c \
		-kernel /bench/bare
}

# The console is the link: such a kernel gives its program no other.
unikraft() {
	enter
	exec qemu-system-aarch64 -M "$GUEST_MACHINE" -cpu "$GUEST_CPU" -accel kvm -m "$UNIKRAFT_MEMORY_MIB" \
		-nographic -nodefaults -chardev "serial,path=$link,id=c" -serial chardev:c \
		-kernel /bench/unikraft.kernel -initrd /bench/unikraft.program
}

# start ENVIRONMENT NUMBER STACK: one at a time, as there is one link.
start() {
	if [ -e /run/running ]; then
		say "error running $(cat /run/running)"
		return
	fi
	case " $ENVIRONMENTS " in
	*" $1 "*) ;;
	*)
		say "error unknown environment: $1"
		return
		;;
	esac
	case "$1 $3" in
	*' shared' | 'native stock' | 'container stock') ;;
	*)
		say "error no program for $1 with the stack $3"
		return
		;;
	esac
	echo "$1 $2" >/run/running
	rmdir "$group" 2>/dev/null
	mkdir -p "$group"
	# The clock of ticks is the same for all but a guest.
	asked=$(/bench/linux --ticks)
	(
		"$1" "$3" </dev/null 3>&- &
		echo "$!" >/run/pid
		say "started $1 $2 $! $asked"
		wait "$!"
		status=$?
		# Only a container whose runtime was killed is still known to it.
		[ -e /run/crun/bench ] && crun delete --force bench >/dev/null 2>&1
		rm -f /run/running /run/pid
		say "exited $1 $2 $status"
	) &
}

# What the running program's start takes, in bytes: lines `memory KEY=BYTES`. The process is the program, the container's runtime or QEMU.
memory() {
	if [ -e /run/pid ]; then
		process=/proc/$(cat /run/pid)
		for field in VmRSS VmHWM; do
			kilobytes "process.$field" "$field" "$process/status"
		done
		kilobytes process.Pss Pss "$process/smaps_rollup"
		weigh start.peak "$group/memory.peak"
		weigh container.peak /sys/fs/cgroup/bench/memory.peak
	fi
	say end memory
}
weigh() { [ -r "$2" ] && say "memory $1=$(cat "$2")"; }
kilobytes() {
	while read -r name value _; do
		[ "$name" = "$2:" ] && say "memory $1=$((value * 1024))"
	done <"$3"
} 2>/dev/null

# Ends what runs; its `exited` line follows.
stop_running() {
	[ -e /run/pid ] || return
	if ! { [ -e /run/crun/bench ] && crun kill --all bench KILL; } 2>/dev/null; then
		kill -KILL "$(cat /run/pid)"
	fi
}

read -r versions </etc/guest.versions
say "ready $(uname -r) $versions"
while :; do
	# Nobody at the other end reads as the end of a file.
	if ! read -r verb environment number stack <&3; then
		sleep 0.05
		continue
	fi
	case "$verb" in
	start) start "$environment" "$number" "$stack" ;;
	kill) stop_running ;;
	facts) facts ;;
	memory) memory ;;
	stop)
		say stopped
		poweroff -f
		;;
	'') ;;
	*) say "error unknown command: $verb" ;;
	esac
done
