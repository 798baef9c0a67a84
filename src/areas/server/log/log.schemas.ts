import { t } from 'elysia';
import { LOG_LEVELS } from '../../../core/log.ts';
import { stringEnum, Timestamp, Uuid } from '../../../http/schemas.ts';

export const LogQuery = t.Object({
  run: t.Optional(Uuid),
  after: t.Optional(t.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
});
export type LogQueryInput = typeof LogQuery.static;

export const LogLinesDto = t.Object(
  {
    /** The life of the server that the numbers of the lines are of. */
    run: Uuid,
    lines: t.Array(
      t.Object(
        {
          id: t.Integer({ minimum: 1 }),
          time: Timestamp,
          level: stringEnum(LOG_LEVELS, { title: 'LogLevel' }),
          text: t.String(),
        },
        { title: 'LogLineDto' },
      ),
    ),
  },
  { title: 'LogLinesDto' },
);
export type LogLines = typeof LogLinesDto.static;
