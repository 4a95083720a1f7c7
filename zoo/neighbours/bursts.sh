#!/bin/sh
# Six busy processes on the first core, again and again for $1 seconds with a pause of $2.
while true; do
    for _ in 1 2 3 4 5 6; do
        timeout "$1" taskset -c 0 sh -c 'while :; do :; done' &
    done
    sleep "$1"
    sleep "$2"
done
