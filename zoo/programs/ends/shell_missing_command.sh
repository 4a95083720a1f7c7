# A job script calls a program that is not installed.
# zoo end: exit-called
set -e
echo "preparing" >&2
convert_dataset --fast
