import { expect, test } from 'bun:test';
import { findMount } from './access-remedy.ts';

const MOUNTS = `/dev/sda1 / ext4 rw,relatime 0 0
tmpfs /mnt tmpfs rw 0 0
/dev/sdb1 /mnt/My\\040Disk ext4 rw 0 0
/dev/sdc1 /mnt/My\\040Disk vfat rw,uid=0 0 0
`;

test.each([
  ['/srv/photos', '/dev/sda1', '/', 'ext4'],
  ['/mnt', 'tmpfs', '/mnt', 'tmpfs'],
  ['/mnt/My Disk/backups', '/dev/sdc1', '/mnt/My Disk', 'vfat'],
  ['/mnt/My Disk 2', 'tmpfs', '/mnt', 'tmpfs'],
])('%s is on the file system that was mounted there last', (path, device, folder, type) => {
  expect(findMount(path, MOUNTS)).toEqual({ device, folder, type });
});
