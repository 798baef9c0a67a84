import { requireValue } from './required.ts';

// The types of Node leave these calls open for Windows, where Safelight does not run.

export const getUid = (): number => requireValue(process.getuid, 'getuid')();
export const getEffectiveUid = (): number => requireValue(process.geteuid, 'geteuid')();
export const setUid = (uid: number): void => requireValue(process.setuid, 'setuid')(uid);
export const setGid = (gid: number): void => requireValue(process.setgid, 'setgid')(gid);
export const setEffectiveUid = (uid: number): void => requireValue(process.seteuid, 'seteuid')(uid);
export const setEffectiveGid = (gid: number): void => requireValue(process.setegid, 'setegid')(gid);
export const setGroups = (gids: readonly number[]): void =>
  requireValue(process.setgroups, 'setgroups')(gids);
