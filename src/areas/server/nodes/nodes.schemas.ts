import { t } from 'elysia';
import { stringEnum, Timestamp, Uuid7 } from '../../../http/schemas.ts';

export const NodeDto = t.Object(
  {
    id: Uuid7,
    role: stringEnum(['server', 'worker'], { title: 'NodeRole' }),
    /** Name of the machine. */
    host: t.String(),
    /** URL at which it listens; null: a worker. */
    address: t.Nullable(t.String()),
    version: t.String(),
    /** 'starting': it waits, as for nodes of an earlier version. 'draining': it will stop. 'gone': it tells no more that it lives. */
    state: stringEnum(['starting', 'ready', 'draining', 'refused', 'gone'], { title: 'NodeState' }),
    /** Why it does not serve. */
    reason: t.Nullable(t.String()),
    /** Whether it does what only one server should do, such as watching libraries. */
    isLeader: t.Boolean(),
    /** Whether it gives this answer. */
    isAnswering: t.Boolean(),
    runningJobs: t.Integer({ minimum: 0 }),
    startedAt: Timestamp,
    /** Last heartbeat; null: the only server, which sends none. */
    seenAt: t.Nullable(Timestamp),
  },
  { title: 'NodeDto' },
);
export type NodeListItem = typeof NodeDto.static;
