#!/bin/sh
# Freezes the program's filesystem once it is ready, as a snapshot does that never ends, for $1
# seconds; asks the program to stop if $2 says so, and lets go: before that it cannot end.
while ! test -s ready; do sleep 0.1; done
trap 'fsfreeze --unfreeze disk' EXIT
fsfreeze --freeze disk
sleep "$1"
if [ "$2" = then-stop ]; then kill -TERM "$(cat ready)"; fi
