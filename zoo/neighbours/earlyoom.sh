#!/bin/sh
# earlyoom, told to act once $1 MiB less are available than now, and to kill at $2 MiB less; other
# options may follow. It sees and reaches only its own pid namespace, and is not started where that
# is the machine's.
set -e
[ -n "$ZOO_PIDS_OUTSIDE" ] && [ "$(readlink /proc/self/ns/pid)" != "$ZOO_PIDS_OUTSIDE" ] || exit 1
available=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo)
limits="$((available - $1 * 1024)),$((available - $2 * 1024))"
shift 2
exec earlyoom -r 0 -M "$limits" "$@"
