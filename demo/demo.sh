#!/usr/bin/env bash
# Runs demo/train.py under `holdfast run` with 512 MiB of memory, twice: without the guard, until the
# kernel kills it; then with the guard, whose error the program catches to save its work.
# The memory limit is the strictest kind this machine lets us use; see the cages below.
set -euo pipefail
cd "$(dirname "$0")/.."

holdfast=${HOLDFAST_BIN:-$PWD/build/release/cli/holdfast}
mib=512
bytes=$((mib * 1024 * 1024))
cause=cgroup-oom
group=          # the cgroup we made, to be removed at the end
home=           # where its processes go when it is

export PATH=$PWD/.venv/bin:$PATH  # `python` is the one that has NumPy
# The demo's runs stay out of your own list.
export HOLDFAST_HOME=${HOLDFAST_HOME:-$PWD/build/demo}
unset HOLDFAST_GUARD HOLDFAST_GUARD_RESERVE HOLDFAST_GUARD_HUGE
mkdir -p "$HOLDFAST_HOME"
# One thread is plenty, and with `ulimit -v` each further one would cost address space.
export OPENBLAS_NUM_THREADS=1

say() { printf 'demo: %s\n' "$*"; }
write() { { echo "$2" >"$1"; } 2>/dev/null; }

# Makes the demo's cgroup below `home`. A left-over from a demo that was itself killed goes first; one
# that is in use (another demo, right now) stays.
make_group() {
    local name
    for name in holdfast-demo "holdfast-demo-$$"; do
        rmdir "$home/$name" 2>/dev/null || true
        if mkdir "$home/$name" 2>/dev/null; then
            group=$home/$name
            return 0
        fi
    done
    return 1
}

remove_group() {
    [ -n "$group" ] || return 0
    local pid try
    for try in 1 2 3 4 5 6 7 8 9 10; do
        rmdir "$group" 2>/dev/null && return 0
        # Somebody still lives there, or the kernel has not yet let go of the dead.
        while read -r pid; do write "$home/cgroup.procs" "$pid" || true; done <"$group/cgroup.procs"
        sleep 0.2
    done
    say "the cgroup $group could not be removed (tried $try times)"
}
trap remove_group EXIT

# A cage is a function `cage_NAME_open`, which succeeds where it can be had, and `cage_NAME`, which
# becomes the command within it.

# cgroup v1: any folder may hold processes and children.
cage_v1_open() {
    home=/sys/fs/cgroup/memory
    [ -w "$home/cgroup.procs" ] || return 1
    make_group || return 1
    write "$group/memory.limit_in_bytes" $bytes || return 1
    write "$group/memory.memsw.limit_in_bytes" $bytes || true  # only with swap accounting
    limit_text="a cgroup (v1) of $mib MiB"
}

# cgroup v2: a group with controllers for its children may not hold processes itself, unless it is
# the root. So the child is made below the root we see, and only if that one hands out `memory`.
cage_v2_open() {
    home=/sys/fs/cgroup
    [ -w "$home/cgroup.procs" ] || return 1
    grep -qw memory "$home/cgroup.controllers" 2>/dev/null || return 1
    if ! grep -qw memory "$home/cgroup.subtree_control"; then
        write "$home/cgroup.subtree_control" +memory || return 1
    fi
    make_group || return 1
    write "$group/memory.max" $bytes || return 1
    write "$group/memory.swap.max" 0 || true
    limit_text="a cgroup (v2) of $mib MiB"
}

enter_group() {
    echo "$BASHPID" >"$group/cgroup.procs"
    exec "$@"
}
cage_v1() { enter_group "$@"; }
cage_v2() { enter_group "$@"; }

# A scope that systemd makes for us: the only way to a cgroup without root.
cage_systemd_open() {
    [ -d /run/systemd/system ] || return 1
    command -v systemd-run >/dev/null || return 1
    scope=(systemd-run --quiet --scope -p "MemoryMax=${mib}M" -p MemorySwapMax=0)
    [ "$(id -u)" = 0 ] || scope+=(--user)
    # Newer versions would stop the whole scope, Holdfast included, after the first kill in it.
    if timeout 10 "${scope[@]}" -p OOMPolicy=continue true 2>/dev/null; then
        scope+=(-p OOMPolicy=continue)
    else
        timeout 10 "${scope[@]}" true 2>/dev/null || return 1
    fi
    limit_text="a systemd scope (cgroup) of $mib MiB"
}
cage_systemd() { exec "${scope[@]}" "$@"; }

# No cgroup at all: then it is the allocation that is refused, and the verdict is about that. Nobody
# needs a guard there: the error comes anyway.
cage_ulimit_open() {
    cause=address-limit
    limit_text="ulimit -v of $mib MiB (no cgroup to be had without root or systemd: the kernel will \
refuse an allocation instead of killing)"
}
cage_ulimit() {
    ulimit -v $((mib * 1024))
    exec "$@"
}

for cage in systemd v1 v2 ulimit; do
    "cage_${cage}_open" && break
    remove_group
    group=
done

saved=$HOLDFAST_HOME/network.npz
train=(python demo/train.py "${saved#"$PWD"/}")
rm -f "$saved"

# Becomes `holdfast run` in the cage. The shell's own "Killed" would stand in the middle of the
# verdict: it goes to /dev/null, while the program's stderr is the real one, handed through as
# descriptor 3.
watched() {
    say "holdfast run $*"
    echo
    status=0
    { ("cage_$cage" "$holdfast" run "$@" 2>&3 3>&-) || status=$?; } 3>&2 2>/dev/null
    echo
}

say "demo/train.py keeps every fourth batch's activations; it gets $limit_text"
say "1. with the guard off, as without Holdfast: memory runs out, and only the verdict is left"
# Where no kernel kills, the program must not catch the error, or there is no death to explain.
if [ "$cage" = ulimit ]; then
    watched --guard=off --name death -- "${train[@]:0:2}"
else
    watched --guard=off --name death -- "${train[@]}"
fi
if [ "$status" = 0 ]; then
    say "the program ended well, so there is nothing to explain: that was not the plan"
    exit 1
fi
say "exit status $status, the program's own$([ "$status" != 137 ] || echo ' (128 + SIGKILL)')"
say "the same verdict again:   HOLDFAST_HOME=${HOLDFAST_HOME#"$PWD"/} ${holdfast#"$PWD"/} why death"
say "what such a cause means:  ${holdfast#"$PWD"/} explain $cause"
echo

say "2. the same program with the guard on: it gets a MemoryError in time"
watched --guard=on -- "${train[@]}"
if [ "$status" != 0 ] || [ ! -s "$saved" ]; then
    say "the program was to catch the error, save and end well; it ended with status $status"
    exit 1
fi
say "exit status 0, and the work of all steps is in ${saved#"$PWD"/}"
echo

say "3. and this machine, before anything runs: what would hurt a training here"
# It blocks or not; the demo ends well either way.
"$holdfast" check --python "${train[0]}" || true
