#!/bin/sh
# Runs the rest of the line beside a Slurm of its own, which knows this machine alone, and then ends that Slurm.
set -eu
folder=$ZOO_DIR/slurm
mkdir -p "$folder/state" "$folder/spool" "$folder/munge"
host=$(hostname -s)
export SLURM_CONF="$folder/slurm.conf"
cat >"$SLURM_CONF" <<END
ClusterName=zoo
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmctldPort=26817
SlurmdPort=26818
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/linear
KillWait=5
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=60 State=UP
END
printf 'CgroupAutomount=no\n' >"$folder/cgroup.conf"
dd if=/dev/urandom of="$folder/munge/key" bs=128 count=1 2>/dev/null
chmod 600 "$folder/munge/key"
chmod 755 "$folder" "$folder/munge"
munged --foreground --force --key-file="$folder/munge/key" --socket="$folder/munge/socket" \
    --pid-file="$folder/munge/pid" --log-file="$folder/munge/log" --seed-file="$folder/munge/seed" &
munged=$!
sleep 1
slurmctld -D -i &
slurmctld=$!
slurmd -D &
slurmd=$!
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    [ "$(sinfo --noheader --format=%T 2>/dev/null)" = idle ] && break
    sleep 0.5
done
status=0
"$@" || status=$?
# Its step daemon lives until it has told the end of the job.
for _ in 1 2 3 4 5 6 7 8 9 10; do
    [ -z "$(squeue --noheader 2>/dev/null)" ] && break
    sleep 0.5
done
kill "$slurmd" "$slurmctld" "$munged"
wait
exit "$status"
