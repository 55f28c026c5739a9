#!/bin/sh
# Starts a Docker engine where none answers, in a process session of its own, and waits until it does.
# DOCKER_HOST names its socket, AGENTGYM_STATE_DIR the folder of its log; arguments are given to dockerd.
set -eu
PATH="$PATH:/usr/sbin:/sbin"
host=${DOCKER_HOST:-unix:///var/run/docker.sock}
log_dir=${AGENTGYM_STATE_DIR:-/run/agentgym}
seconds=60

case "$host" in
  unix://*) socket=${host#unix://} ;;
  *)
    echo "== engine: DOCKER_HOST is $host; only an engine on a socket of this machine can be started here ==" >&2
    exit 1
    ;;
esac

pid_file=/var/run/docker.pid
exec_root=/var/run/docker
for argument in "$@"; do
  case "$argument" in
    --pidfile=*) pid_file=${argument#*=} ;;
    --exec-root=*) exec_root=${argument#*=} ;;
  esac
done

answers() { # exit code 3: this user may not ask it
  python3 -c '
import socket, sys
connection = socket.socket(socket.AF_UNIX)
connection.settimeout(5)
try:
    connection.connect(sys.argv[1])
except PermissionError:
    sys.exit(3)
connection.sendall(b"GET /_ping HTTP/1.0\r\n\r\n")
sys.exit(b" 200 " not in connection.recv(64))
' "$socket" 2>/dev/null
}

# A killed engine leaves files with process numbers that others may have by now, which the next one takes for itself.
is_alive() { # PID-FILE PROGRAM
  [ -s "$1" ] && [ "$(cat "/proc/$(cat "$1")/comm" 2>/dev/null)" = "$2" ]
}

wait_for_it() {
  tries=$((seconds * 5))
  while ! answers; do
    tries=$((tries - 1))
    if [ "$tries" -le 0 ]; then
      return 1
    fi
    if [ -n "${engine:-}" ] && ! kill -0 "$engine" 2>/dev/null; then
      return 1
    fi
    sleep 0.2
  done
}

code=0
answers || code=$?
if [ "$code" -eq 0 ]; then
  echo "== engine: answers at $host, nothing to do =="
  exit 0
fi
if [ "$code" -eq 3 ]; then
  echo "== engine: user $(id -un) may not open $socket; run: sudo usermod -aG docker $(id -un), then log in again ==" >&2
  exit 1
fi
if ! command -v dockerd >/dev/null 2>&1; then
  echo "== engine: nothing answers at $host, and dockerd is not installed; run: sudo apt-get install docker.io ==" >&2
  exit 1
fi
if is_alive "$pid_file" dockerd; then
  echo "== engine: process $(cat "$pid_file") is starting, waiting for it =="
  if wait_for_it; then
    exit 0
  fi
  echo "== engine: process $(cat "$pid_file") does not answer at $host within $seconds s; stop it, then run this again ==" >&2
  exit 1
fi
if [ "$(id -u)" -ne 0 ]; then
  echo "== engine: nothing answers at $host, and only root may start one; run: sudo sh $0 ==" >&2
  exit 1
fi
if [ -z "${DOCKER_HOST:-}" ] && [ -d /run/systemd/system ]; then
  echo "== engine: starting it as a service of systemd =="
  systemctl start docker
  wait_for_it || { echo "== engine: it does not answer; see: journalctl -u docker ==" >&2; exit 1; }
  exit 0
fi

rm -f "$pid_file"
if ! is_alive "$exec_root/containerd/containerd.pid" containerd; then
  rm -f "$exec_root/containerd/containerd.pid"
fi
mkdir -p "$log_dir" "${socket%/*}"
log=$log_dir/dockerd.log
echo "== engine: starting dockerd at $host, log in $log =="
setsid dockerd --host "$host" "$@" >"$log" 2>&1 </dev/null 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- &
engine=$!
if ! wait_for_it; then
  echo "== engine: it did not come up within $seconds s; the end of $log: ==" >&2
  tail -n 15 "$log" >&2
  exit 1
fi
echo "== engine: ready =="
