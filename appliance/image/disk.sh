#!/bin/sh
# Writes a disk image that UEFI starts, from what system.sh has written. Needs neither root nor loop devices.
#   appliance/image/disk.sh FOLDER VERSION IMAGE [KERNEL ARGUMENTS]
# Partitions: the boot loader with a kernel for each version, two roots, and the data, which grow at the first start.
set -eu

folder=$1
version=$2
image=$3
arguments=${4:-quiet}
# In MiB.
esp=512
root=3072
data=256

work=$(mktemp -d "$folder/disk-XXXXXX")
trap 'rm -rf "$work"' EXIT

[ "$(stat -c %s "$folder/root.squashfs")" -le $((root << 20)) ] || { echo "The root is too large" >&2; exit 1; }

# A slow disk is no failure.
timeout=systemd.default_timeout_start_sec=900
# The name of the partition ties the kernel to its root.
echo "root=PARTLABEL=safelight_$version rootfstype=squashfs ro console=tty0 console=ttyS0,115200 panic=30 $timeout $arguments" \
  >"$work/cmdline"
{
  grep -v ^PRETTY_NAME= "$folder/os-release"
  printf 'PRETTY_NAME="Safelight %s"\nIMAGE_ID=safelight\nIMAGE_VERSION=%s\n' "$version" "$version"
} >"$work/osrel"
objcopy --add-section .osrel="$work/osrel" --change-section-vma .osrel=0x20000 \
  --add-section .cmdline="$work/cmdline" --change-section-vma .cmdline=0x30000 \
  --add-section .linux="$folder/vmlinuz" --change-section-vma .linux=0x2000000 \
  --add-section .initrd="$folder/initrd.img" --change-section-vma .initrd=0x4000000 \
  /usr/lib/systemd/boot/efi/linuxx64.efi.stub "$work/kernel.efi"

printf 'timeout 3\n' >"$work/loader.conf"
truncate -s ${esp}M "$work/esp"
mformat -i "$work/esp" -F -v SAFELIGHT ::
mmd -i "$work/esp" ::/EFI ::/EFI/BOOT ::/EFI/Linux ::/loader
mcopy -i "$work/esp" /usr/lib/systemd/boot/efi/systemd-bootx64.efi ::/EFI/BOOT/BOOTX64.EFI
mcopy -i "$work/esp" "$work/loader.conf" ::/loader/loader.conf
mcopy -i "$work/esp" "$work/kernel.efi" "::/EFI/Linux/safelight_$version.efi"

mkdir -p "$work/content/system" "$work/content/library"
truncate -s ${data}M "$work/data"
# As for a large disk: not the small blocks of small ones, and tables that can grow to 8 TiB in place.
mke2fs -q -t ext4 -T default -b 4096 -J size=64 -L safelight-data -E root_owner=0:0,resize=2147483648 \
  -d "$work/content" "$work/data"

rm -f "$image"
truncate -s $((1 + esp + 2 * root + data + 1))M "$image"
# Of the x86-64 root partition and the ordinary Linux file system in the Discoverable Partitions Specification.
root_type=4F68BCE3-E8CD-4DB1-96E7-FBCAF984B709
data_type=0FC63DAF-8483-4772-8E79-3D69D8477DE4
sfdisk --quiet "$image" <<END
label: gpt
start=1MiB, size=${esp}MiB, type=C12A7328-F81F-11D2-BA4B-00A0C93EC93B, name=safelight-esp
size=${root}MiB, type=$root_type, name=safelight_$version
size=${root}MiB, type=$root_type, name=safelight_
size=${data}MiB, type=$data_type, name=safelight-data
END
copy() { dd if="$1" of="$image" bs=1M seek="$2" conv=notrunc,sparse status=none; }
copy "$work/esp" 1
copy "$folder/root.squashfs" $((1 + esp))
copy "$work/data" $((1 + esp + 2 * root))
