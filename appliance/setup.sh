#!/bin/sh
# Installs the Debian packages that Safelight uses, only those that are missing, and as root its user.
#   appliance/setup.sh [run|test|bench|cluster|image]     with what the tests, the measurements, a cluster or the disk
#   image need too
# As root, or with sudo. Otherwise prints the one command to run and ends with 1.
set -eu

# Started by root, Safelight runs as this user, which no other service is.
if [ "$(id -u)" -eq 0 ] && ! getent passwd safelight >/dev/null; then
  useradd --system --user-group --home-dir /nonexistent --shell /usr/sbin/nologin safelight
fi

missing=""
need() { # need PACKAGE FILE: the file says that the package, or a substitute, is there
  for file in $2; do [ -e "$file" ] && return; done
  missing="$missing $1"
}

# Debian 12 has 15, Debian 13 has 17; 15 is the oldest that we run on.
postgres=postgresql-15
storage=qemu-system-common
debian=$(. /etc/os-release && echo "${VERSION_ID:-12}")
if [ "$debian" = 13 ]; then
  postgres=postgresql-17
  storage=qemu-utils
fi

need "$postgres" "/usr/lib/postgresql/15/bin/postgres /usr/lib/postgresql/16/bin/postgres
  /usr/lib/postgresql/17/bin/postgres /usr/lib/postgresql/18/bin/postgres"
need ffmpeg /usr/bin/ffmpeg
# For exiftool, which Safelight brings along; perl-base is not enough.
need perl /usr/bin/prove
need libheif-examples /usr/bin/heif-convert
need libraw-bin /usr/bin/dcraw_emu
need libjxl-tools /usr/bin/jxlinfo
# For the metadata of JPEG XL.
need brotli /usr/bin/brotli
# Decodes BMP, TGA, JPEG 2000 and rare TIFF.
need imagemagick /usr/bin/convert
# Certificates of our own.
need openssl /usr/bin/openssl
# Titles in films of memories.
need fontconfig /usr/bin/fc-list
need fonts-dejavu-core /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf
if [ "${1:-run}" = test ]; then
  # Writes the tags of test files.
  need libimage-exiftool-perl /usr/bin/exiftool
  # Shows what the program sends.
  need strace /usr/bin/strace
  # Makes HEIC for tests; part of libheif1 before.
  [ "$debian" = 13 ] && need libheif-plugin-x265 "/usr/lib/*/libheif/plugins/libheif-x265.so"
  # Chromium without windows: the same engine for a third less CPU.
  need chromium-headless-shell /usr/bin/chromium-headless-shell
  # For tests of power loss.
  need $storage /usr/bin/qemu-storage-daemon
  need fuse3 /usr/bin/fusermount3
  # The reverse proxies of docs/reverse-proxy.md.
  need nginx /usr/sbin/nginx
  need haproxy /usr/sbin/haproxy
  need caddy /usr/bin/caddy
  need apache2-bin /usr/sbin/apache2
  # A connection pooler before PostgreSQL.
  need pgbouncer /usr/sbin/pgbouncer
fi
[ "${1:-run}" = bench ] && need libimage-exiftool-perl /usr/bin/exiftool && need wrk /usr/bin/wrk && need libvips-tools /usr/bin/vipsthumbnail
if [ "${1:-run}" = cluster ]; then
  # An S3 store.
  need ceph-mon /usr/bin/ceph-mon
  need ceph-mgr /usr/bin/ceph-mgr
  need ceph-osd /usr/bin/ceph-osd
  need radosgw /usr/bin/radosgw
  # PostgreSQL with a standby, and a balancer.
  need etcd-server /usr/bin/etcd
  need patroni /usr/bin/patroni
  need haproxy /usr/sbin/haproxy
  # Network namespaces.
  need iproute2 /usr/sbin/ip
  need curl /usr/bin/curl
  need rsync /usr/bin/rsync
fi
if [ "${1:-run}" = image ]; then
  need mmdebstrap /usr/bin/mmdebstrap
  need systemd-container /usr/bin/systemd-nspawn
  need squashfs-tools /usr/bin/mksquashfs
  need mtools /usr/bin/mformat
  need fdisk /sbin/sfdisk
  need zstd /usr/bin/zstd
  # objcopy puts kernel, initramfs and boot stub together.
  need binutils /usr/bin/objcopy
  need systemd-boot-efi /usr/lib/systemd/boot/efi/linuxx64.efi.stub
  # Emulates the machine that the tests start it in.
  need qemu-system-x86 /usr/bin/qemu-system-x86_64
  need qemu-utils /usr/bin/qemu-img
  need ovmf /usr/share/OVMF/OVMF_CODE_4M.fd
fi
[ -z "$missing" ] && exit 0

install="apt-get install --yes --no-install-recommends$missing"
if [ "$(id -u)" -ne 0 ]; then
  if command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
    echo "Installing Debian packages:$missing"
    exec sudo "$0" "$@"
  fi
  echo "These Debian packages are missing:$missing" >&2
  echo "Run this as root, then try again:" >&2
  echo "  $(readlink -f "$0") $*" >&2
  exit 1
fi

# Keeps the server package from creating and starting a cluster that Safelight would not use. Written only
# if PostgreSQL is new to this machine: an existing configuration is left alone.
if [ ! -e /usr/bin/pg_createcluster ]; then
  mkdir -p /etc/postgresql-common/createcluster.d
  echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.d/safelight.conf
fi

# The tests start these themselves: their services would take the ports of others.
services=""
for service in nginx haproxy caddy pgbouncer etcd patroni; do
  case "$missing " in *" $service "* | *" $service-server "*) services="$services $service" ;; esac
done
policy=/usr/sbin/policy-rc.d
if [ -n "$services" ] && [ ! -e $policy ]; then
  trap 'rm -f $policy' EXIT
  printf '#!/bin/sh\nexit 101\n' >$policy
  chmod 0755 $policy
fi

export DEBIAN_FRONTEND=noninteractive
for package in $missing; do
  apt-cache show "$package" >/dev/null 2>&1 || { apt-get update; break; }
done
# Outdated package lists name files that the mirror has deleted: update them and try again.
$install || { apt-get update && $install; }
for service in $services; do
  rm -f "/etc/systemd/system/multi-user.target.wants/$service.service"
  # Where systemd does not run.
  update-rc.d "$service" disable >/dev/null 2>&1 || true
done
