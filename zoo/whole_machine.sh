#!/bin/bash
# The programs that take a whole machine: strict overcommit, swap, and a machine out of memory.
#
#   OUT=FOLDER zoo/whole_machine.sh    as root, on a machine that nobody else needs
#   zoo/run --adopt FOLDER             back home, with what whole-machine.tar.gz there holds
#   DRY=1 zoo/whole_machine.sh         only says what it would do
#
# Every setting is put back, every run has a time limit, and what there is by then is packed.
set -u
ZOO=$(cd "$(dirname "$0")" && pwd)
BIN=$(realpath "${HOLDFAST_BIN:-$ZOO/../build/release/cli/holdfast}")
PYTHON=${PYTHON:-python3}
DRY=${DRY:-}
OUT=$(realpath -m "${OUT:-whole-machine}")
LIMIT=${LIMIT:-140}  # seconds in all
SECONDS=0
export ZOO_DIR=/scratch HOLDFAST_HOME=/scratch/home OMP_NUM_THREADS=${OMP_NUM_THREADS:-16}
export HOLDFAST_GUARD=warn  # they are here to die
MADE=/scratch/made  # evidence, verdicts, output
GROUP=/sys/fs/cgroup/holdfast-test-zoo
GIB=$((1024 * 1024))  # in KiB

say() { echo "[$SECONDS s] $*"; }

# Does it, or in a dry run says what it would do.
act() {
    if [ -n "$DRY" ]; then echo "    would: $*"; else "$@"; fi
}

put() { # VALUE FILE
    if [ -n "$DRY" ]; then echo "    would write $1 to $2"; else echo "$1" > "$2"; fi
}

meminfo() { awk -v key="$1:" '$1 == key { print $2 }' /proc/meminfo; }

pack() {
    tar czf "$OUT/.packing" -C "$MADE" . && mv "$OUT/.packing" "$OUT/whole-machine.tar.gz"
}

# One program under watch in the control group, for at most so many seconds.
watch() { # NAME SECONDS
    local file left=$((LIMIT - SECONDS)) status
    file=$(find "$ZOO/programs" -name "$1.py" | head -n 1)
    if [ -z "$file" ]; then say "no program $1"; return; fi
    if [ "$left" -lt 12 ]; then say "$1: no time left"; return; fi
    [ "$left" -gt "$2" ] && left=$2
    say "$1, at most $left s"
    # shellcheck disable=SC2016  # for the inner shell
    local line=(timeout -k 3 "$left" /bin/sh -c 'echo $$ > "$0/cgroup.procs"; exec "$@"' "$GROUP"
        "$BIN" run --quiet --evidence "$MADE/$1.json" --verdict "$MADE/$1.verdict"
        -- "$PYTHON" "$file")
    if [ -n "$DRY" ]; then echo "    would: ${line[*]}"; return; fi
    rm -f "$ZOO_DIR/ready"
    "${line[@]}" > "$MADE/$1.txt" 2>&1
    status=$?
    # Somebody lost patience: that is not what it should have died of.
    if [ "$status" = 124 ]; then mv "$MADE/$1.json" "$MADE/$1.stopped"; fi
    say "$1 ended with $status: $(grep -o '"slug": "[a-z-]*"' "$MADE/$1.verdict" | tr '\n' ' ')"
    pack
}

# Stops the program that is ready, after so many seconds.
stop_after() { # SECONDS
    for _ in $(seq 300); do [ -s "$ZOO_DIR/ready" ] && break; sleep 0.1; done
    sleep "$1"
    [ -s "$ZOO_DIR/ready" ] && kill -TERM "$(cat "$ZOO_DIR/ready")"
}

group() { # MEMORY SWAP
    put "$1" "$GROUP/memory.max"
    put "$2" "$GROUP/memory.swap.max"
}

strict_overcommit() { # GiB that may still be promised
    put $(($(meminfo Committed_AS) + $1 * GIB)) /proc/sys/vm/overcommit_kbytes
    put 2 /proc/sys/vm/overcommit_memory
}

usual_overcommit() {
    put "$overcommit" /proc/sys/vm/overcommit_memory
    put "$ratio" /proc/sys/vm/overcommit_ratio
}

# Swap on a loop device: a file on a layered filesystem cannot be used directly.
swap_on() { # GiB
    swap=/scratch/swap
    act fallocate -l "${1}G" "$swap"
    act mkswap -q "$swap"
    [ -n "$DRY" ] && return
    swapon "$swap" 2> /dev/null && return
    swap=$(losetup --show -f "$swap") && mkswap -q "$swap" && swapon "$swap"
    say "swap of $(meminfo SwapTotal) KiB on $swap"
}

swap_off() {
    [ -n "$swap" ] || return
    act timeout 20 swapoff "$swap"
    case $swap in /dev/loop*) act losetup -d "$swap" ;; esac
    act rm -f /scratch/swap
    swap=
}

# Takes memory away that nobody can have, so that a machine of any size is soon full.
leave_free() { # GiB
    local surplus=$(($(meminfo MemAvailable) - $1 * GIB))
    [ "$surplus" -gt 0 ] && put $((surplus / 2048)) /proc/sys/vm/nr_hugepages
    say "MemAvailable $(($(meminfo MemAvailable) / 1024)) MiB"
}

put_back() {
    trap - EXIT
    usual_overcommit
    put "$hugepages" /proc/sys/vm/nr_hugepages
    put "$panic" /proc/sys/vm/panic_on_oom
    swap_off
    act rmdir "$GROUP"
    [ -n "$DRY" ] || pack
    say "settings are back: overcommit $(cat /proc/sys/vm/overcommit_memory)," \
        "hugepages $(cat /proc/sys/vm/nr_hugepages), swap $(meminfo SwapTotal) KiB"
}

if [ -z "$DRY" ] && [ "$(id -u)" != 0 ]; then echo "needs root" >&2; exit 1; fi
act mkdir -p "$OUT" "$MADE"
if [ -z "$DRY" ]; then cd "$ZOO_DIR" || exit 1; fi
swap=
overcommit=$(cat /proc/sys/vm/overcommit_memory)
ratio=$(cat /proc/sys/vm/overcommit_ratio)
hugepages=$(cat /proc/sys/vm/nr_hugepages)
panic=$(cat /proc/sys/vm/panic_on_oom)
trap put_back EXIT
trap 'exit 1' INT TERM

put 0 /proc/sys/vm/panic_on_oom
put +memory /sys/fs/cgroup/cgroup.subtree_control
act mkdir -p "$GROUP"

strict_overcommit 6
watch overcommit_numpy 20
watch overcommit_retry 20
usual_overcommit
strict_overcommit 12
watch overcommit_torch 30
usual_overcommit

leave_free 40
watch kept_activations 40
watch whole_table 40
put "$hugepages" /proc/sys/vm/nr_hugepages

swap_on 4
group 1G max
if [ -z "$DRY" ]; then stop_after 14 & fi
watch thrash_shuffle 40
group 1G 512M
watch thrash_then_oom 40
group 1G max
watch swapped_and_idle 30
group max max
swap_off

leave_free 40
watch pool_worker 40
