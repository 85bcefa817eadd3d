#!/bin/sh
# The recipes of examples/scan-at-scale: make, ninja, GNU parallel (here and over ssh), Slurm; and units inside of objects and
# archives. What is not installed, or cannot be started here, is named and left out.
. "$(dirname "$0")/expect.sh"
FOOTRACE=$footrace
export FOOTRACE
recipes=$here/../../examples/scan-at-scale
cp "$recipes"/* .

left_out() { printf 'LEFT OUT: %s\n' "$1"; }
has() {
  for program; do
    command -v "$program" >/dev/null || { left_out "$program is not installed"; return 1; }
  done
}

started=
stop_started() {
  for process in $started; do kill "$process" 2>/dev/null; done
  started=
}
trap 'stop_started; rm -rf "$work"' EXIT

# The race in counter.h is repaired by the second version of get.cpp.
sed 's/{ return/{ std::lock_guard<std::mutex> guard(mutex_); return/' get.cpp >repaired.txt
entry() { printf '{"directory":"%s","file":"%s","command":"c++ -std=c++20 -c %s"}' "$work" "$1" "$1"; }
mkdir build
printf '[%s,\n%s]\n' "$(entry add.cpp)" "$(entry get.cpp)" >build/compile_commands.json
expect "the sources of a build" 0 stdout '/add.cpp$' stdout '/get.cpp$' -- "$footrace" scan -p build --list

if has make; then
  expect "make: two units and a merge" 2 stdout 'Counter::get' stderr 'analysed 2 of 2 functions' stderr 'Error 66' -- make -j2
  expect "make: nothing to do but the merge" 2 stderr 'analysed 0 of 2 functions' -- make
  touch counter.h
  expect "make: a header is a dependency" 2 stdout 'unit add.cpp' stdout 'unit get.cpp' -- make
  cp repaired.txt get.cpp
  expect "make: what changed, and no more" 0 stdout 'unit get.cpp' stderr 'analysed 1 of [0-9]+ functions' stderr '0 races' -- make
  grep -q 'unit add.cpp' out.txt && echo 'FAILED: make read add.cpp again' && failures=$((failures + 1))
  cp "$recipes/get.cpp" . && rm -rf summaries
fi

if has ninja; then
  sed "s|^footrace = .*|footrace = $footrace|" "$recipes/build.ninja" >build.ninja
  expect "ninja: two units and a merge" 1 stdout 'Counter::get' stderr 'analysed 2 of 2' -- ninja
  expect "ninja: nothing to do but the merge" 1 stdout '\[[01]/1\]' stderr 'analysed 0 of 2' -- ninja
  sleep 1 # ninja sees seconds on some file systems
  cp repaired.txt get.cpp
  expect "ninja: what changed, and no more" 0 stdout 'scan get.cpp' stderr 'analysed 1 of' -- ninja
  cp "$recipes/get.cpp" . && rm -rf summaries
fi

if has parallel; then
  expect "parallel: on this machine" 66 stdout 'Counter::get' stderr 'analysed 2 of 2' -- ./parallel.sh build out-parallel
  expect "parallel: a second time" 66 stderr 'analysed 0 of 2' -- ./parallel.sh build out-parallel
fi

# A server of our own, on a port that is free, for this user only.
start_sshd() {
  mkdir -p ssh && chmod 700 ssh
  ssh-keygen -q -t ed25519 -N '' -f ssh/host && ssh-keygen -q -t ed25519 -N '' -f ssh/user || return 1
  cp ssh/user.pub ssh/authorized
  port=$((20000 + $$ % 20000))
  printf '%s\n' "Port $port" 'ListenAddress 127.0.0.1' "HostKey $work/ssh/host" "AuthorizedKeysFile $work/ssh/authorized" \
    'StrictModes no' 'UsePAM no' "PidFile $work/ssh/pid" 'PermitRootLogin yes' >ssh/server
  printf '%s\n' 'Host worker' 'HostName 127.0.0.1' "Port $port" "IdentityFile $work/ssh/user" 'StrictHostKeyChecking no' \
    "UserKnownHostsFile $work/ssh/known" 'LogLevel ERROR' >ssh/client
  [ "$(id -u)" = 0 ] && mkdir -p /run/sshd
  "$(command -v sshd || echo /usr/sbin/sshd)" -D -f ssh/server 2>ssh/log &
  started="$started $!"
  for attempt in 1 2 3 4 5; do
    ssh -F ssh/client worker true 2>/dev/null && return 0
    sleep 1
  done
  return 1
}
if PATH=$PATH:/usr/sbin has parallel ssh sshd ssh-keygen; then
  if start_sshd; then
    PARALLEL_SSH="ssh -F $work/ssh/client"
    export PARALLEL_SSH
    expect "parallel: over ssh" 66 stdout 'Counter::get' stderr 'analysed 2 of 2' -- ./parallel.sh build out-ssh 2/worker
    stop_started
  else
    left_out "sshd cannot be started: $(head -n 1 ssh/log)"
  fi
fi

# A cluster of one node, without authentication.
start_slurm() {
  mkdir -p slurm/state slurm/spool
  host=$(hostname -s)
  SLURM_CONF=$work/slurm/slurm.conf
  export SLURM_CONF
  cat >"$SLURM_CONF" <<CONF
ClusterName=footrace
SlurmctldHost=$host
AuthType=auth/none
CredType=cred/none
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
SlurmctldPort=$((20000 + ($$ + 1) % 20000))
SlurmdPort=$((20000 + ($$ + 2) % 20000))
StateSaveLocation=$work/slurm/state
SlurmdSpoolDir=$work/slurm/spool
SlurmctldPidFile=$work/slurm/controller.pid
SlurmdPidFile=$work/slurm/node.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=2,bf_interval=2
ReturnToService=2
NodeName=$host CPUs=$(nproc)
PartitionName=all Nodes=ALL Default=YES State=UP
CONF
  slurmctld -D >slurm/log 2>&1 &
  started="$started $!"
  slurmd -D >slurm/node-log 2>&1 &
  started="$started $!"
  for attempt in 1 2 3 4 5 6 7 8 9 10; do
    timeout 5 sinfo 2>/dev/null | grep -q idle && return 0
    sleep 1
  done
  return 1
}
# slurm.sh prints the job that merges; a test waits for it.
slurm_scan() {
  merge=$(./slurm.sh build "$1" "$2" | tail -n 1) || return 1
  timeout 200 sbatch --wait --dependency="afterany:$merge" --output=/dev/null --wrap true >/dev/null
  cat "$1/report.txt" && cat "$1/merge.log" >&2
}
if PATH=$PATH:/usr/sbin has sbatch slurmctld slurmd; then
  PATH=$PATH:/usr/sbin
  if start_slurm; then
    expect "slurm: an array of two tasks" 0 stdout 'Counter::get' stderr 'analysed 2 of 2' -- slurm_scan out-slurm 1
    expect "slurm: the findings" 0 stdout '"part":"scan"' -- cat out-slurm/findings.jsonl
    expect "slurm: two sources per task" 0 stdout 'Counter::get' -- slurm_scan out-slurm-2 2
    stop_started
  else
    left_out "slurm cannot be started: $(tail -n 1 slurm/log)"
  fi
fi

# Units inside of objects.
for source in add get; do
  expect "an object with its summary" 0 -- "$cxx" --embed-summary -std=c++20 -O1 -c $source.cpp -o $source.o
done
expect "the objects as units" 66 stdout 'Counter::get' -- "$footrace" scan --merge add.o get.o
ar rcs libcounter.a add.o get.o
expect "an archive carries them" 66 stdout 'Counter::get' -- "$footrace" scan --merge libcounter.a
ld -r add.o get.o -o both.o
expect "and an object of objects" 66 stdout 'Counter::get' -- "$footrace" scan --merge both.o
expect "twice the same is once" 66 stderr '1 race in 2 functions' -- "$footrace" scan --merge libcounter.a add.o get.o both.o
echo '#include "counter.h"
int main() { Counter c; c.add(); return c.get() - 1; }' >main.cpp
expect "the program works" 0 -- "$cxx" --embed-summary main.cpp add.o get.o -o program
expect "and says where no summary is kept" 0 stderr 'needs -c' -- "$cxx" --embed-summary main.cpp add.o get.o -o program
expect "it runs" 0 -- ./program
if readelf -S program | grep -q footrace.scan; then
  echo 'FAILED: the summary is in the program'
  failures=$((failures + 1))
fi
expect "several sources, and compiling again" 0 -- "$cxx" --embed-summary -std=c++20 -c add.cpp get.cpp
expect "both have theirs" 66 stderr '1 race in 2 functions' -- "$footrace" scan --merge add.o get.o
"$cxx" -c main.cpp -o plain.o
expect "an object without one" 1 stderr "'plain.o' has no scan summary.*--embed-summary" -- "$footrace" scan --merge plain.o
head -c 3000 libcounter.a >cut.a
expect "half an archive" 1 stderr "cut.a.* (cannot be read|is not a usable)" -- "$footrace" scan --merge cut.a
expect "C as well" 0 -- sh -c 'echo "int x; void f(void) { x = 1; }" >c.c && "$1" --embed-summary -c c.c && "$2" scan --merge c.o' sh "$cc" "$footrace"
expect "-flto has no place for it" 1 stderr 'not an ELF object' -- "$cxx" --embed-summary -flto -c add.cpp -o lto.o
expect "and leaves no object that looks finished" 1 -- test -e lto.o
finish
