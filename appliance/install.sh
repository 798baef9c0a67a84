#!/bin/sh
# Installs or upgrades Safelight from the folder of a release, which holds this script, SHA256SUMS and the packages:
#   sudo ./install.sh
# For Debian 12 and 13, Ubuntu 24.04, Proxmox (better in a container of it) and OpenMediaVault 7.
set -eu

fail() {
  echo "$1" >&2
  exit 1
}

# Prints a setting of the service, or a default.
setting() { # NAME [DEFAULT]
  value=$(/usr/lib/safelight/settings /etc/safelight/safelight.env "$1")
  echo "${value:-${2:-}}"
}

# Where browsers and phones reach the service, by its settings.
list_addresses() (
  scheme=http
  if [ "$(setting SAFELIGHT_HTTPS off)" != off ] || [ -n "$(setting SAFELIGHT_TLS_CERT)" ]; then scheme=https; fi
  port=:$(setting SAFELIGHT_PORT 2283)
  case $scheme$port in http:80 | https:443) port= ;; esac
  own=$(setting SAFELIGHT_HOST 0.0.0.0)
  case $own in
    # The address by which this machine reaches others, which reach it by that.
    0.0.0.0 | ::) hosts="$(ip route get 192.0.2.1 2>/dev/null | sed -n 's/.* src \([^ ]*\).*/\1/p') $(hostname)" ;;
    *) hosts=$own ;;
  esac
  for host in $hosts; do
    case $host in *:*) host="[$host]" ;; esac
    echo "$scheme://$host$port"
  done
)

[ "$(id -u)" -eq 0 ] || fail "Run this as root: sudo $0"
command -v apt-get >/dev/null || fail "This is no Debian, nor made from it: use compose.yaml."
folder=$(readlink -f "$(dirname "$0")")
cd "$folder"

architecture=$(dpkg --print-architecture)
package=$(ls "safelight_"*"_$architecture.deb" 2>/dev/null | sort -V | tail -n 1)
[ -n "$package" ] || fail "There is no package for $architecture in $folder."
# Both: a package that is not listed would not be checked.
grep -q " [ *]$package\$" SHA256SUMS || fail "$package is not listed in SHA256SUMS."
sha256sum --check --ignore-missing --quiet SHA256SUMS || fail "The files are damaged: get them again."

# Safelight runs a cluster of its own. One that is there, or is wanted by somebody else, is left alone.
if [ ! -e /usr/bin/pg_createcluster ]; then
  mkdir -p /etc/postgresql-common/createcluster.d
  echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.d/safelight.conf
fi

export DEBIAN_FRONTEND=noninteractive
apt-get update || echo "The lists of packages could not be updated; going on with those of before." >&2
apt-get install --yes --no-install-recommends "./$package"

if command -v systemctl >/dev/null && systemctl is-active --quiet safelight; then
  echo "Safelight runs: open $(list_addresses | sed ':all; N; $!b all; s/\n/ or /g')"
else
  echo "Safelight is installed. Why it does not run: journalctl -u safelight" >&2
fi
