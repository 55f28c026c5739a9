#!/bin/sh
# Installs the Debian packages that some tests need. Python packages are `make install`'s work.
set -eu

for browser in chromium chromium-browser google-chrome; do
  if command -v "$browser" >/dev/null 2>&1; then
    echo "== system: $browser is there, nothing to do =="
    exit 0
  fi
done

if ! command -v apt-get >/dev/null 2>&1; then
  echo "== system: no apt-get here; install Chromium yourself, or the browser tests of the report page are skipped =="
  exit 0
fi
if [ "$(id -u)" -eq 0 ]; then
  as_root=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
  as_root="sudo"
else
  echo "== system: not root and no sudo without a password; run 'sudo apt-get install chromium', or the browser tests of the report page are skipped =="
  exit 0
fi

echo "== system: installing chromium (for the browser tests of the report page) =="
$as_root apt-get update -qq
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends chromium >/dev/null
echo "== system: ready =="
