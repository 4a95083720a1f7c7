#!/usr/bin/env bash
# Runs the guard's bench in parts beside each other, for a machine with many cores and little time; prints
# the failures and the sums. Programs that a part has not reached by then are left out.
# PYTHON runs the bench itself; --python names the Pythons that run the programs.
# usage: bench/guard/in_parallel.sh PARTS SECONDS FOLDER [arguments of bench/guard]
set -uo pipefail
cd "$(dirname "$0")/../.." || exit

parts=${1:?usage: bench/guard/in_parallel.sh PARTS SECONDS FOLDER [ARGUMENT...]}
seconds=${2:?how long}
folder=${3:?where the tables go}
shift 3

# v2 lets a group hand on controllers only while no process is in the group itself.
make_room() {
    local root=/sys/fs/cgroup
    [ -f "$root/cgroup.subtree_control" ] || return 0
    echo +memory 2>/dev/null >"$root/cgroup.subtree_control" && return 0
    mkdir -p "$root/everybody"
    while read -r pid; do
        echo "$pid" 2>/dev/null >"$root/everybody/cgroup.procs"
    done <"$root/cgroup.procs"
    echo +memory >"$root/cgroup.subtree_control"
}

make_room
mkdir -p "$folder"
for ((i = 0; i < parts; i++)); do
    timeout "$seconds" "${PYTHON:-python3}" bench/guard --part "$i/$parts" "$@" >"$folder/part.$i.txt" 2>&1 &
done
wait
cat "$folder"/part.*.txt >"$folder/all.txt"
rm "$folder"/part.*.txt

rows() { grep -c "$1" "$folder/all.txt"; }
grep -m1 -E '^(cgroup v|the whole)' "$folder/all.txt"
grep -E '\| (killed|HANG|CRASH|WRONG|not dead|too slow|REFUSED|BROKEN|not counted) \|$' "$folder/all.txt"
echo "dying: $(rows '| saved |$') saved, $(rows '| killed |$') killed, $(rows '| HANG |$') hang, \
$(rows '| CRASH |$') crash, $(rows '| WRONG |$') wrong"
echo "healthy: $(rows '|  |$') left alone, $(rows '| REFUSED |$') refused, $(rows '| BROKEN |$') broken"
