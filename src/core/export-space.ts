import { mkdirSync } from 'node:fs';
import type { Deps } from './context.ts';
import { getFreeBytes } from './disk-reserve.ts';
import { AppError } from './errors.ts';

/** Throws 507 when `bytes` more would use the space that uploads leave free, too. */
export function requireExportSpace(
  { paths, settings }: Pick<Deps, 'paths' | 'settings'>,
  bytes: number,
): void {
  mkdirSync(paths.root, { recursive: true });
  const free = getFreeBytes(paths.root) - settings.reserveBytes;
  if (free >= bytes) return;
  throw new AppError(
    'insufficientStorage',
    `The export needs ${toMib(bytes)} MiB of disk space, and ${toMib(Math.max(0, free))} MiB are free`,
    { detail: { code: 'source_unavailable' } },
  );
}

const toMib = (bytes: number) => Math.ceil(bytes / 1024 ** 2);
