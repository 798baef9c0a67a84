#!/bin/sh
# Writes dist/safelight_VERSION_amd64.img.zst from the package of the same version. Needs root, not loop devices.
#   appliance/image/build.sh
set -eu

root=$(readlink -f "$(dirname "$0")/../..")
version=$(sed -n 's/^  "version": "\(.*\)",/\1/p' "$root/package.json")
image=$root/dist/safelight_${version}_amd64.img

[ "$(id -u)" -eq 0 ] || { echo "The image is built as root: sudo make image" >&2; exit 1; }
"$root/appliance/image/system.sh" "$root/dist/safelight_${version}_amd64.deb" "$root/.cache/appliance" \
  "$root/dist/image"
"$root/appliance/image/disk.sh" "$root/dist/image" "$version" "$image"
zstd --quiet --force --threads=0 -9 "$image"
megabytes() { echo "$(($(stat -c "$1" "$2") * ${3:-1} / 1000000)) MB"; }
echo "wrote ${image#"$root"/}.zst, $(megabytes %s "$image.zst"); unpacked a disk of $(megabytes %s "$image")," \
  "$(megabytes %b "$image" 512) of it written"
rm "$image"
