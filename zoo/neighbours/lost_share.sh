#!/bin/sh
# A shared filesystem whose server does not answer any more once the program is ready; after $1
# seconds somebody stops the program, which may not be able to end before the server is gone.
mkdir -p source share
for number in $(seq 0 199); do head -c 20000 /dev/urandom > "source/sample_$number.bin"; done
bindfs -f source share &
server=$!
while ! mountpoint -q share; do sleep 0.1; done
touch mounted
while ! test -s ready; do sleep 0.1; done
kill -STOP "$server"
sleep "$1"
kill -TERM "$(cat ready)"
sleep 2
kill -KILL "$server"
