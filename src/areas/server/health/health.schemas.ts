import { t } from 'elysia';
import { stringEnum, Timestamp } from '../../../http/schemas.ts';

const HealthCheckDto = t.Object(
  {
    name: t.String(),
    /** 'missing' has to be mended; without what is 'absent' the server runs, with less. */
    state: stringEnum(['ok', 'absent', 'missing'], { title: 'HealthState' }),
    detail: t.String(),
    /** Advice, often the command that mends it. */
    remedy: t.Optional(t.String()),
  },
  { title: 'HealthCheckDto' },
);

export const HealthDto = t.Object(
  { checkedAt: Timestamp, checks: t.Array(HealthCheckDto) },
  { title: 'HealthDto' },
);
export type Health = typeof HealthDto.static;
