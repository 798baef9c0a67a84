import { readRecentLog } from '../core/recent-log.ts';

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
