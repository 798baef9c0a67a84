import { notFound } from '../core/errors.ts';
import type { Deps } from '../core/context.ts';
import { readRecentLog } from '../core/recent-log.ts';
import { listReplaced } from './replacement.ts';
import { previewRollBack } from './roll-back.ts';
import { enterMode } from './cluster-mode.ts';
import type { MaintenanceState } from './state.ts';

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

/** The server follows in maintenance mode. Throws 404 when no database is kept, and as `enterMode`. */
export async function requestRollBack(
  target: Pick<Deps, 'paths' | 'settings'>,
  url: string | undefined,
): Promise<MaintenanceState> {
  if (url === undefined || (await listReplaced(url)).length === 0) throw notFound('Database');
  return enterMode(target, { action: 'start', rollBack: true });
}
