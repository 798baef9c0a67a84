import { randomInt, timingSafeEqual } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeLines } from '../core/journal.ts';
import { writeDurably } from '../core/json-file.ts';
import type { DataPaths } from '../core/paths.ts';

// A server without accounts knows nobody. Whoever restores a backup onto it shows that the machine is theirs,
// by a code that is printed on its console, or in its journal.

type Paths = Pick<DataPaths, 'maintenance'>;
type Printed = { readonly code: string; readonly expiresAt: number };

const LIFETIME_MS = 15 * 60_000;
/** Without letters that look like digits. A code has 59 bits, so nobody has to count attempts. */
const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';
const GROUPS = 3;
const GROUP_LENGTH = 4;

const getFile = ({ maintenance }: Paths) => join(maintenance, 'restore-code.json');

/** Prints a new code, unless the last one is still valid. It is not in the log, which can be downloaded. */
export function printRestoreCode(paths: Paths, now: Date): void {
  if (readCode(paths, now) !== undefined) return;
  const code = createCode();
  mkdirSync(paths.maintenance, { recursive: true, mode: 0o700 });
  const printed: Printed = { code, expiresAt: now.getTime() + LIFETIME_MS };
  writeDurably(getFile(paths), printed);
  const minutes = LIFETIME_MS / 60_000;
  writeLines(
    1,
    'warn',
    `To restore a backup onto this server, enter this code within ${minutes} minutes: ${code}\n`,
  );
}

/** Whether this is the code that was printed. It is valid once. */
export function acceptRestoreCode(paths: Paths, given: string, now: Date): boolean {
  const code = readCode(paths, now);
  if (code === undefined || !isSame(given, code)) return false;
  rmSync(getFile(paths), { force: true });
  return true;
}

function readCode(paths: Paths, now: Date): string | undefined {
  try {
    const { code, expiresAt } = JSON.parse(readFileSync(getFile(paths), 'utf8')) as Printed;
    const remaining = expiresAt - now.getTime();
    return remaining > 0 && remaining <= LIFETIME_MS ? code : undefined;
  } catch {
    return undefined;
  }
}

function createCode(): string {
  const pick = () => ALPHABET.charAt(randomInt(ALPHABET.length));
  const createGroup = () => Array.from({ length: GROUP_LENGTH }, pick).join('');
  return Array.from({ length: GROUPS }, createGroup).join('-');
}

function isSame(given: string, code: string): boolean {
  const toBytes = (text: string) => Buffer.from(text.toLowerCase().replaceAll(/[^a-z0-9]/g, ''));
  const [one, other] = [toBytes(given), toBytes(code)];
  return one.length === other.length && timingSafeEqual(one, other);
}
