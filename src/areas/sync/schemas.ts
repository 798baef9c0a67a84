import { t } from 'elysia';
import { stringEnum } from '../../http/schemas.ts';
import { ENTITY_TYPES, REFUSED_TYPES, REQUEST_TYPES } from './types.ts';

const SyncRequestType = stringEnum([...REQUEST_TYPES, ...REFUSED_TYPES], {
  title: 'SyncRequestType',
});
const SyncEntityType = stringEnum(ENTITY_TYPES, { title: 'SyncEntityType' });

export const SyncStreamDto = t.Object(
  { types: t.Array(SyncRequestType), reset: t.Optional(t.Boolean()) },
  { title: 'SyncStreamDto' },
);
export type SyncStream = typeof SyncStreamDto.static;

export const SyncAckDto = t.Object(
  { type: SyncEntityType, ack: t.String() },
  { title: 'SyncAckDto' },
);
export type SyncAck = typeof SyncAckDto.static;

export const SyncAckSetDto = t.Object(
  { acks: t.Array(t.String(), { maxItems: 1000 }) },
  { title: 'SyncAckSetDto' },
);

export const SyncAckDeleteDto = t.Object(
  { types: t.Optional(t.Array(SyncEntityType)) },
  { title: 'SyncAckDeleteDto' },
);
