#!/usr/bin/env bash
# Runs a command in a fresh clone on a fresh Debian 13, which has what README.md asks for and no more:
# tests/deploy/debian13.sh "make demo && make test". Needs root and debootstrap.
set -euo pipefail
cd "$(dirname "$0")/../.."

command=${1:?say which command to run, such as "make demo"}
base=.cache/debian-13
packages=python3,python3-venv,python3-dev,make,gcc,libc6-dev,git

if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null; then
  echo "debian13.sh: run it as root, and install debootstrap first (apt-get install debootstrap)" >&2
  exit 2
fi
if [ ! -e "$base/.ready" ]; then
  rm -rf "$base"
  mkdir -p "$base"
  debootstrap --variant=minbase --include="$packages" trixie "$base" >"$base.log" || { tail -n 20 "$base.log" >&2; exit 1; }
  touch "$base/.ready"
fi

root=$(mktemp -d "${TMPDIR:-/tmp}/debian-13.XXXXXX")
trap 'rm -rf "$root"' EXIT
cp -a "$base/." "$root"
git clone --quiet --no-hardlinks . "$root/srv/propsync"
# the ways to the package registry that this machine has: its certificates, and pip's and proxies' settings
mkdir -p "$root/etc/ssl/certs"
cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/" 2>/dev/null || true
mapfile -t settings < <(env | grep -E '^(PIP_(CERT|CONFIG_FILE|DEFAULT_TIMEOUT|INDEX_URL|EXTRA_INDEX_URL)|SSL_CERT_|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|https?_proxy|no_proxy|HTTPS?_PROXY|NO_PROXY)' || true)

# a namespace of its own: what the command leaves running or mounted ends with it
exec_in='mount -t proc proc "$0/proc"; mount --rbind /dev "$0/dev"; exec chroot "$0" /usr/bin/env -i "${@:2}" bash -c "cd /srv/propsync && $1"'
unshare --mount --pid --fork --kill-child bash -c "$exec_in" "$root" "$command" \
  HOME=/root LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "${settings[@]}"
