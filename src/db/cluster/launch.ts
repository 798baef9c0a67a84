import { openSync } from 'node:fs';
import { launch } from '../../core/launch.ts';
import type { Account } from '../../core/account.ts';

/**
 * The data folder as the server sees it: an inherited directory descriptor. The server's user needs
 * no right to walk the path above it, so a data folder below /root (0700) works without handing
 * out any capability, and the length of the path does not matter.
 */
export const INHERITED = '/proc/self/fd/3';

/** Opens the folder for INHERITED; the caller closes it once the child runs. */
export const openFolder = (path: string): number => openSync(path, 'r');

/**
 * The command line of a child of this cluster: dies with us (SIGINT is the server's fast and clean
 * shutdown), and is no longer root when we are.
 */
export const asAccount = (account: Account | undefined, command: readonly string[]): string[] =>
  launch(command, { death: 'INT', account });

/** Nothing of ours: PG* variables and locale settings would change what the server does. */
export const CHILD_ENV = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8', TZ: 'UTC' };
