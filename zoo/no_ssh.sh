#!/bin/sh
# In the place of ssh, for launchers that start a daemon on another machine: runs the line here.
while [ "${1#-}" != "$1" ]; do shift; done
shift # the machine's name
exec sh -c "$*"
