import { expect, test } from 'bun:test';
import { isRemote, listMounts, parseMounts, selectMounts } from './mounts.ts';

const MOUNTS = parseMounts(
  [
    '22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/root rw',
    '30 22 0:40 / /mnt/my\\040photos rw - nfs4 nas:/photos rw,vers=4.2',
    '31 22 254:2 / /mnt/disk rw - btrfs /dev/sdb rw',
    '32 31 0:41 /a /mnt/disk/cloud rw - fuse.rclone rclone rw',
    '33 22 8:1 / /mnt/usb rw - fuseblk /dev/sdc1 rw',
    '34 22 0:42 / /mnt/hidden rw - ext4 /dev/sdd rw',
    '35 34 0:43 / /mnt/hidden rw - cifs //nas/share rw',
  ].join('\n'),
);

const listTypes = (folder: string) => selectMounts(MOUNTS, folder).map(({ type }) => type);

test('a folder is on the last of its closest mounts, and those below it count, too', () => {
  expect(listTypes('/srv/photos')).toEqual(['ext4']);
  expect(listTypes('/mnt/my photos/2024')).toEqual(['nfs4']);
  expect(listTypes('/mnt/my photos 2')).toEqual(['ext4']);
  expect(listTypes('/mnt/disk')).toEqual(['btrfs', 'fuse.rclone']);
  expect(listTypes('/mnt/hidden')).toEqual(['cifs']);
});

test('file systems of the network are told from disks', () => {
  const types = MOUNTS.filter(isRemote).map(({ type }) => type);
  expect(types).toEqual(['nfs4', 'fuse.rclone', 'cifs']);
});

test('the mount of a folder of this machine is found', async () => {
  expect(await listMounts(import.meta.dir)).not.toEqual([]);
});
