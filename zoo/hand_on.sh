#!/bin/sh
# Runs the rest of the line as a script does: the shell stays, and hands on how the program ended.
"$@"
exit $?
