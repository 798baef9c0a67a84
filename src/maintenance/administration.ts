import { notFound } from '../core/errors.ts';
import type { DataPaths } from '../core/paths.ts';
import { readRecentLog } from '../core/recent-log.ts';
import { listReplaced } from './replacement.ts';
import { previewRollBack } from './roll-back.ts';
import { type MaintenanceState, writeState } from './state.ts';

// Operations that the application and maintenance mode both serve.

/** Returns the last lines of the log as a file. */
export const logResponse = (): Response =>
  new Response(readRecentLog(), {
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': 'attachment; filename="safelight.log"',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
  });

/** Returns what a rollback would go back to; null when no database is kept, or none runs. */
export async function getRollBack(url: string | undefined) {
  const preview = url === undefined ? undefined : await previewRollBack(url);
  return {
    replacedAt: preview?.replacedAt.toISOString() ?? null,
    changes: preview?.changes ?? [],
  };
}

/** The server follows in maintenance mode. Throws 404 when no database is kept. */
export async function requestRollBack(
  paths: Pick<DataPaths, 'maintenance'>,
  url: string | undefined,
): Promise<MaintenanceState> {
  if (url === undefined || (await listReplaced(url)).length === 0) throw notFound('Database');
  return writeState(paths, { action: 'start', rollBack: true });
}
