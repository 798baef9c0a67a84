import { Elysia } from 'elysia';
import { listRecentLines, RUN } from '../../../core/recent-log.ts';
import type { Guard } from '../../../http/guard.ts';
import { type LogLines, LogLinesDto, LogQuery, type LogQueryInput } from './log.schemas.ts';

export const logRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/admin', tags: ['Server'] })
    .use(guard)
    .get('/log', ({ query }) => listLines(query), {
      permission: { of: 'maintenance', admin: true },
      query: LogQuery,
      response: { 200: LogLinesDto },
      detail: {
        operationId: 'getLog',
        summary: 'List the last lines of the log, or those after one that is known',
      },
    });

/** Asked again and again: no viewer holds a connection, and none needs a place. */
const listLines = ({ run, after = 0 }: LogQueryInput): LogLines => ({
  run: RUN,
  // The numbers of an earlier run mean other lines.
  lines: listRecentLines(run === RUN ? after : 0),
});
