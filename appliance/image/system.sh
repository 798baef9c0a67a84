#!/bin/sh
# Writes the system of an image: a root file system of Debian 12 with our package, its kernel and its initramfs.
# Needs root.
#   appliance/image/system.sh DEB CACHE FOLDER
set -eu

here=$(readlink -f "$(dirname "$0")")
deb=$(readlink -f "$1")
cache=$2
folder=$3
mkdir -p "$cache" "$folder"

packages="systemd,systemd-sysv,systemd-boot,systemd-resolved,systemd-timesyncd,udev,dbus,kmod,procps,iproute2,
  ca-certificates,curl,zstd,fdisk,e2fsprogs,mtools,openssh-server,linux-image-amd64,initramfs-tools"
# The dependencies of our package are part of the base: only the package is installed for each image.
depends=$(dpkg-deb --field "$deb" Depends | sed 's/ *|[^,]*//g; s/ *([^)]*)//g')

# Security updates arrive daily.
base=$cache/image-base.tar
if [ -z "$(find "$base" -mmin -1440 2>/dev/null)" ]; then
  echo "Getting Debian 12"
  mmdebstrap --quiet --format=tar --variant=minbase --aptopt='APT::Install-Recommends "false"' \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    --dpkgopt='path-include=/usr/share/doc/safelight/*' \
    --essential-hook='mkdir -p "$1/etc/postgresql-common/createcluster.d"' \
    --essential-hook='echo "create_main_cluster = false" >"$1/etc/postgresql-common/createcluster.d/safelight.conf"' \
    --include="$(echo "$packages,$depends" | tr -d ' \n')" bookworm "$base.partial" \
    "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" \
    "deb ${DEBIAN_SECURITY_MIRROR:-http://deb.debian.org/debian-security} bookworm-security main"
  mv "$base.partial" "$base"
fi

root=$(mktemp -d "$folder/root-XXXXXX")
trap 'rm -rf "$root"' EXIT
tar --extract --file "$base" --directory "$root"
cp -r --no-preserve=ownership "$here/root/." "$root"
mkdir -p "$root/data" "$root/efi"
ln -sf ../run/systemd/resolve/stub-resolv.conf "$root/etc/resolv.conf"

# A user with the same number in all images: the library is its.
cat >"$root/install" <<'END'
set -eu
useradd --system --uid 850 --user-group --home-dir /var/lib/safelight --shell /usr/sbin/nologin safelight
dpkg --install /package.deb
printf 'SAFELIGHT_PORT=443\nSAFELIGHT_HTTPS=self-signed\n' >>/etc/safelight/safelight.env
systemctl --quiet enable systemd-networkd systemd-resolved systemd-timesyncd \
  systemd-networkd-wait-online safelight-console safelight-boot-check
systemctl --quiet disable ssh
mkdir -p /var/log/journal
update-initramfs -u -k all
rm -f /etc/ssh/ssh_host_* /var/lib/systemd/random-seed /var/lib/dbus/machine-id
: >/etc/machine-id
rm -rf /var/cache/apt/* /var/lib/apt/lists/* /var/log/*.log
END
systemd-nspawn --quiet --register=no --keep-unit --resolv-conf=off --pipe --bind-ro="$deb:/package.deb" \
  --directory="$root" env DEBIAN_FRONTEND=noninteractive sh /install >"$folder/install.log" 2>&1 ||
  { cat "$folder/install.log" >&2; exit 1; }
rm "$root/install"

mv "$root"/boot/vmlinuz-* "$folder/vmlinuz"
mv "$root"/boot/initrd.img-* "$folder/initrd.img"
rm -rf "$root"/boot/* "$root"/vmlinuz* "$root"/initrd.img* "$root/package.deb"
cp "$root/usr/lib/os-release" "$folder/os-release"
rm -f "$folder/root.squashfs"
# Not compressed, which the image is as a whole: slow processors read it faster.
mksquashfs "$root" "$folder/root.squashfs" -quiet -no-progress -noI -noD -noF -noX
