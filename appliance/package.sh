#!/bin/sh
# Writes dist/safelight_VERSION_ARCH.deb: the program, its models, the service. Needs dpkg-deb and bun.
#   appliance/package.sh amd64|arm64 MODELS [FOLDER [VERSION]]
# The same sources give the same bytes. Safelight is not stripped: that would cut off its program.
set -eu

root=$(readlink -f "$(dirname "$0")/..")
architecture=$1
models=$2
folder=${3:-$root/dist}
own=$(sed -n 's/^  "version": "\(.*\)",/\1/p' "$root/package.json")
version=${4:-$own}
case $architecture in
  amd64) target=linux-x64 ;;
  arm64) target=linux-arm64 ;;
  *) echo "No architecture $architecture" >&2; exit 2 ;;
esac
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct)}"

program=${PACKAGE_PROGRAM:-$root/dist/safelight}
if [ "$architecture" != "$(dpkg --print-architecture)" ]; then
  program=$root/dist/safelight-$target
  bun "$root/native/build.ts" "--target=$target" "--out=$program"
fi

tree=$(mktemp -d "$root/dist/.package-XXXXXX")
trap 'rm -rf "$tree"' EXIT
chmod 0755 "$tree"
debian=$root/appliance/debian
put() { install -D -m "$1" "$2" "$tree/$3"; }

put 0755 "$program" usr/lib/safelight/safelight
cp -r --no-preserve=mode "$models" "$tree/usr/lib/safelight/models"
# Each machine prepares them for its own processor.
rm -rf "$tree/usr/lib/safelight/models/.prepared"
put 0755 "$debian/command" usr/bin/safelight
put 0755 "$debian/settings" usr/lib/safelight/settings
put 0640 "$debian/safelight.env" etc/safelight/safelight.env
put 0644 "$debian/safelight.service" lib/systemd/system/safelight.service
put 0644 "$debian/safelight-media.service" lib/systemd/system/safelight-media.service
put 0644 "$debian/safelight.sysusers" usr/lib/sysusers.d/safelight.conf
put 0644 "$debian/safelight.tmpfiles" usr/lib/tmpfiles.d/safelight.conf
put 0644 "$debian/lintian-overrides" usr/share/lintian/overrides/safelight
mkdir -p "$tree/var/lib/safelight"

documents=$tree/documents
bun "$root/appliance/documents.ts" "$documents"
sed 1q "$documents/changelog" | grep -qF "safelight ($own)" || { echo "docs/changelog.md has nothing of $own" >&2; exit 1; }
# Other versions than that of the sources are for tests.
sed -i "1s/(.*)/($version)/" "$documents/changelog"
put 0644 "$documents/safelight.1" usr/share/man/man1/safelight.1
put 0644 "$documents/completion" usr/share/bash-completion/completions/safelight
for name in changelog copyright licences.txt; do put 0644 "$documents/$name" "usr/share/doc/safelight/$name"; done
for page in "$root"/appliance/docs/*.md; do put 0644 "$page" "usr/share/doc/safelight/${page##*/}"; done
gzip -9n "$tree/usr/share/man/man1/safelight.1" "$tree/usr/share/doc/safelight/changelog" \
  "$tree/usr/share/doc/safelight/licences.txt"
rm -r "$documents"

size=$(du -sk --apparent-size "$tree" | cut -f1)
fill() {
  sed "s/@VERSION@/$version/g; s/@ARCHITECTURE@/$architecture/; s/@SIZE@/$size/" "$debian/$1"
}
mkdir "$tree/DEBIAN"
fill control >"$tree/DEBIAN/control"
echo /etc/safelight/safelight.env >"$tree/DEBIAN/conffiles"
for script in preinst postinst prerm postrm; do
  fill "$script" >"$tree/DEBIAN/$script"
  chmod 0755 "$tree/DEBIAN/$script"
done
(cd "$tree" && find . -path ./DEBIAN -prune -o -path ./etc -prune -o -type f -printf '%P\0' | sort -z |
  xargs -0 md5sum) >"$tree/DEBIAN/md5sums"
find "$tree" -type d -exec chmod 0755 {} +

# zstd is smaller to unpack, but the tools of Debian 12 call it an error. xz works on all cores, and writes the
# same bytes whatever their number.
deb=$folder/safelight_${version}_$architecture.deb
dpkg-deb --root-owner-group ${PACKAGE_COMPRESSION:--Zxz -z1} --build "$tree" "$deb.partial" >/dev/null
mv "$deb.partial" "$deb"
echo "wrote ${deb#"$root"/}, $(($(stat -c %s "$deb") / 1000000)) MB"
