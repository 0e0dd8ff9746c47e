#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Ten thousand runs as a job array of a real Slurm: a controller and two nodes on this machine, on ports, in a folder and with a key of
# their own. One node dies with everything on it, parts are killed; what is missing is submitted again; merged, the result is that of one
# machine, byte for byte.
set -u
for program in munged slurmctld slurmd sbatch; do
	command -v $program >/dev/null || { echo "$program is not installed (Debian: slurm-wlm munge)"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
. "$(dirname "$0")/big.sh"
daemons=""
node2=""
trap 'for d in $daemons $node2; do kill -9 $d 2>/dev/null; done; rm -rf "$dir"' EXIT

name=$(hostname -s)
chmod 755 "$dir"
mkdir -m 700 key state spool1 spool2
mkdir -m 755 run
head -c 1024 /dev/urandom >key/munge.key
chmod 600 key/munge.key
munged -F --force --key-file="$dir/key/munge.key" --socket="$dir/run/munge" --pid-file="$dir/key/pid" --seed-file="$dir/key/seed" \
	--log-file="$dir/key/log" >munged.txt 2>&1 &
daemons="$daemons $!"
base=$((20000 + $$ % 20000))
cat >slurm.conf <<END
ClusterName=wavetank
SlurmctldHost=$name(127.0.0.1)
SlurmctldPort=$base
AuthType=auth/munge
AuthInfo=socket=$dir/run/munge
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
ReturnToService=2
SchedulerParameters=sched_interval=1,batch_sched_delay=0
SlurmctldTimeout=30
SlurmdTimeout=10
StateSaveLocation=$dir/state
SlurmctldPidFile=$dir/ctld.pid
SlurmdPidFile=$dir/slurmd-%n.pid
SlurmdSpoolDir=$dir/spool-%n
SlurmctldLogFile=$dir/ctld.log
SlurmdLogFile=$dir/slurmd-%n.log
NodeName=n1 NodeHostname=$name NodeAddr=127.0.0.1 Port=$((base + 1)) CPUs=2 State=UNKNOWN
NodeName=n2 NodeHostname=$name NodeAddr=127.0.0.1 Port=$((base + 2)) CPUs=2 State=UNKNOWN
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF=$dir/slurm.conf
sleep 1
slurmctld -D -c >ctld.txt 2>&1 &
daemons="$daemons $!"
slurmd -D -N n1 >n1.txt 2>&1 &
daemons="$daemons $!"
slurmd -D -N n2 >n2.txt 2>&1 &
node2=$!
for i in $(seq 60); do
	[ "$(sinfo -h -N -o '%N %t' 2>/dev/null | grep -c idle)" = 2 ] && break
	sleep 0.5
done
sinfo -N || { cat ctld.txt n1.txt | tail -20; fail "no cluster"; exit 1; }

# left: jobs still in the queue
left() {
	squeue -h 2>/dev/null | grep -c ''
}
# until the queue is empty, at most so many seconds
drain() {
	for i in $(seq "$1"); do
		[ "$(left)" = 0 ] && return 0
		sleep 1
	done
	squeue
	fail "the queue does not drain"
}

# Processes of Slurm that hold our jobs: only those, by the folder they know.
steps() {
	for step in $(pgrep -x slurmstepd); do
		{ tr '\0' '\n' <"/proc/$step/environ"; } 2>/dev/null | grep -qF "$dir/" && echo "$step"
	done
}

"$wavetank" sweep shard big.ini --shards 40 --format slurm -o parts >big.sbatch || fail "sweep shard"
job=$(sbatch --parsable -o /dev/null big.sbatch) || fail "sbatch: $(cat big.sbatch)"
sleep 3
# A node dies, and with it what runs there.
on2=$(squeue -h -t R -w n2 -o %K | tr '\n' ' ')
kill -9 $node2
for step in $(steps); do
	for task in $(pgrep -P "$step"); do
		if { tr '\0' '\n' <"/proc/$task/environ"; } 2>/dev/null | grep -qx 'SLURMD_NODENAME=n2'; then
			kill -9 "$step" $(pgrep -P "$task") "$task" 2>/dev/null
		fi
	done
done
node2=""
scontrol update nodename=n2 state=down reason=killed
echo "node n2 died with parts: $on2"
# Parts on the other node are killed too.
kills=0
for i in 1 2 3 4 5 6; do
	sleep 0.7
	for step in $(steps); do
		for part in $(parts "$step" | cut -d' ' -f1 | head -1); do
			kill -9 "$part" 2>/dev/null && kills=$((kills + 1))
		done
	done
done
echo "$kills parts killed"
[ $kills -ge 1 ] || fail "no part was killed"
drain 120
"$wavetank" sweep merge big.ini -o parts >merge.txt 2>&1
code=$?
echo "after the deaths: merge says $code: $(grep -o '[0-9]* runs are missing' merge.txt)"
[ $code = 1 ] || fail "nothing was missing; the deaths tested nothing"
sbatch --parsable -o /dev/null big.sbatch >/dev/null || fail "sbatch, the second time"
sleep 2
drain 180
"$wavetank" sweep merge big.ini -o parts >merge.txt 2>&1 || fail "merge: $(cat merge.txt)"
cmp alone/runs.jsonl parts/runs.jsonl || fail "the cluster and one machine differ"
exit $failed
