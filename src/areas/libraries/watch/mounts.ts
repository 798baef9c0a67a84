import { readFile } from 'node:fs/promises';
import { isInside } from '../import-path.ts';

export type Mount = {
  /** Number that no other mount has at the time. */
  readonly id: string;
  readonly path: string;
  readonly type: string;
};

/** File systems that others change, too: the kernel of this machine does not see it. */
const REMOTE =
  /^(?:nfs4?|cifs|smb3?|smbfs|ncpfs|9p|fuse(?:\..+)?|virtiofs|ceph|afs|coda|glusterfs|lustre|beegfs|gpfs|ocfs2|gfs2|vboxsf|prl_fs|davfs|autofs)$/;

export const isRemote = ({ type }: Mount): boolean => REMOTE.test(type);

/** Returns the mount that a folder is on, and those below it. */
export async function listMounts(folder: string): Promise<Mount[]> {
  return selectMounts(parseMounts(await readFile('/proc/self/mountinfo', 'utf8')), folder);
}

export function selectMounts(mounts: readonly Mount[], folder: string): Mount[] {
  // A later one hides an earlier one at the same path.
  const [own] = mounts
    .filter(({ path }) => isInside(path, folder))
    .reverse()
    .toSorted((one, other) => other.path.length - one.path.length);
  const below = mounts.filter(({ path }) => path !== folder && isInside(folder, path));
  return own ? [own, ...below] : below;
}

/** Reads /proc/self/mountinfo, see proc_pid_mountinfo(5). */
export const parseMounts = (text: string): Mount[] =>
  text.split('\n').flatMap((line) => {
    const [before = '', after = ''] = line.split(' - ');
    const [id, , , , path] = before.split(' ');
    const [type] = after.split(' ');
    return id && path && type ? [{ id, path: decodeOctal(path), type }] : [];
  });

/** A space is `\040`. Other characters are left as they are. */
const decodeOctal = (path: string): string =>
  path.replaceAll(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
