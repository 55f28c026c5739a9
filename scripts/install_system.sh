#!/bin/sh
# Installs the Debian packages that some tests need, starts a container engine and builds the images.
# Whatever is there is left alone; where something may not be done, it says which tests are skipped for it.
# Python packages are `make install`'s work.
set -eu
PATH="$PATH:/usr/sbin:/sbin:/usr/games:/usr/lib/postgresql/15/bin"
here=${0%/*}
missing=""

need() { # PACKAGE PROGRAM...
  package=$1
  shift
  for program in "$@"; do
    if command -v "$program" >/dev/null 2>&1; then
      return
    fi
  done
  missing="$missing $package"
}

need chromium chromium chromium-browser google-chrome
need chromium-headless-shell chromium-headless-shell chrome-headless-shell
need docker.io dockerd
need bubblewrap bwrap
need debootstrap debootstrap
need podman podman
need iptables iptables
need iproute2 ip
need git git
need gcc cc
need stockfish stockfish
need postgresql-15 postgres
case "$(cc -print-file-name=libc.a 2>/dev/null)" in
  /*) ;;
  *) missing="$missing libc6-dev" ;;
esac

give_up() { # MESSAGE
  echo "== system: $1 =="
  if [ "${CI:-}" = true ]; then
    exit 1
  fi
}

explain() { # what is skipped without each package
  for package in $missing; do
    case "$package" in
      chromium) echo "   without chromium: browser tests of the report page are skipped" ;;
      chromium-headless-shell) echo "   without chromium-headless-shell: web environments take chromium, which is slower" ;;
      docker.io) echo "   without docker.io, or another engine that answers: tests of Docker sandboxes are skipped" ;;
      bubblewrap) echo "   without bubblewrap: tests of bubblewrap sandboxes are skipped" ;;
      debootstrap) echo "   without debootstrap: images can only be built where a registry is reached" ;;
      stockfish) echo "   without stockfish: tests of chess are skipped" ;;
      postgresql-15) echo "   without postgresql-15: tests of Sql on PostgreSQL are skipped" ;;
      podman) echo "   without podman: the test against its socket is skipped" ;;
      gcc | libc6-dev) echo "   without $package: tests of sandboxes without an engine are skipped" ;;
      *) echo "   without $package: some tests of sandboxes are skipped" ;;
    esac
  done
}

as_root=""
if [ "$(id -u)" -ne 0 ] && command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
  as_root="sudo -n env DEBIAN_FRONTEND=noninteractive ${DOCKER_HOST:+DOCKER_HOST=$DOCKER_HOST}"
fi

if [ -z "$missing" ]; then
  echo "== system: all packages are there, nothing to install =="
elif ! command -v apt-get >/dev/null 2>&1; then
  echo "== system: no apt-get here; install these yourself:$missing =="
  explain
elif [ "$(id -u)" -ne 0 ] && [ -z "$as_root" ]; then
  echo "== system: not root and no sudo without a password; run: sudo apt-get install$missing =="
  explain
else
  echo "== system: installing$missing =="
  # shellcheck disable=SC2086 # lists of words
  $as_root apt-get update -qq
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
fi

# A benchmark whose pins conflict with agentgym's gets an interpreter of its own: 46 MB.
peer=$here/../build/peers/bfcl
if [ -x "$here/../.venv/bin/python" ] && ! "$peer/bin/python" -c 'import bfcl_eval, mpmath' 2>/dev/null; then
  echo "== system: bfcl-eval, in $peer =="
  if ! "$here/../.venv/bin/python" -m venv "$peer" || ! "$peer/bin/python" -m pip install --quiet \
    --disable-pip-version-check --no-deps -r "$here/../benchmarks/peers/bfcl/requirements.txt"; then
    rm -rf "$peer"
    give_up "bfcl-eval could not be installed; tests of its adapter are skipped"
  fi
fi

# shellcheck disable=SC2086
if ! $as_root sh "$here/start_engine.sh"; then
  give_up "no container engine; tests of Docker sandboxes are skipped"
  exit 0
fi
agentgym=$here/../.venv/bin/agentgym
if [ ! -x "$agentgym" ]; then
  echo "== system: the images are built after make install =="
elif "$agentgym" images build; then
  echo "== system: ready =="
else
  give_up "the images could not be built; tests that run them are skipped"
fi
