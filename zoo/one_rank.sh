#!/bin/sh
# Under a launcher: rank $1 runs the rest of the line, the others only the program behind its "--".
watched=$1
shift
rank=${RANK-${OMPI_COMM_WORLD_RANK-${PMI_RANK-${PMIX_RANK-${SLURM_PROCID-}}}}}
if [ "$rank" != "$watched" ]; then
    while [ "$1" != -- ]; do shift; done
    shift
fi
exec "$@"
