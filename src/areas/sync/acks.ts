import { ENTITY_TYPES, type EntityType, REQUEST_TYPES, type RequestType } from './types.ts';

// An ack is `type|position[|extra]`; clients return it unchanged. A position is `<xid>-<id>`: the copy has
// all changes of the log up to there.

export type LogPosition = { readonly xid: bigint; readonly id: bigint };

export const formatPosition = ({ xid, id }: LogPosition): string => `${xid}-${id}`;
/** Returns the position before the first change of the transaction. */
export const toTransactionStart = (xid: bigint): LogPosition => ({ xid, id: 0n });

export type Ack = {
  readonly type: EntityType;
  readonly position: LogPosition | undefined;
  /** Cursor in a table, digest, or the types of a completed stream. */
  readonly extra: string | undefined;
  readonly text: string;
};

const KNOWN_TYPES: ReadonlySet<string> = new Set(ENTITY_TYPES);
/** Both halves fit a bigint, so that no ack of a client fails in the database. */
const POSITION = /^(\d{1,18})-(\d{1,18})$/;
const EXTRA = /^[\w.-]{1,120}$/;
/** Types that are compared as a whole have a digest instead of a position. */
const DIGEST = /^[0-9a-z]{1,20}$/;

export const DIGEST_TYPES: ReadonlySet<EntityType> = new Set(['AuthUserV1', 'UserMetadataV1']);

export type ParsedAck = Ack | { readonly unknownType: string } | undefined;

/** Returns undefined for a text that the server never sends. */
export function parseAck(text: string): ParsedAck {
  const [type = '', middle = '', extra, ...rest] = text.split('|');
  if (!KNOWN_TYPES.has(type)) return { unknownType: type };
  if (rest.length > 0 || (extra !== undefined && !EXTRA.test(extra))) return undefined;
  const known = { type: type as EntityType, extra, text };
  if (type === 'SyncResetV1') return { ...known, position: undefined };
  if (DIGEST_TYPES.has(known.type)) {
    return DIGEST.test(middle) ? { ...known, position: undefined, extra: middle } : undefined;
  }
  const [, xid, id] = POSITION.exec(middle) ?? [];
  if (xid === undefined || id === undefined) return undefined;
  return { ...known, position: { xid: BigInt(xid), id: BigInt(id) } };
}

/** Types that a completed stream has brought up to date, and whether it included Locked content. */
export type CompletedStream = {
  readonly types: readonly RequestType[];
  readonly locked: 'all' | 'none' | 'unsure';
};

const LOCKED = ['all', 'none', 'unsure'] as const;

export function formatCompleteAck(watermark: bigint, { types, locked }: CompletedStream): string {
  const mask = REQUEST_TYPES.reduce(
    (sum, type, bit) => (types.includes(type) ? sum + 2 ** bit : sum),
    0,
  );
  return `SyncCompleteV1|${formatPosition(toTransactionStart(watermark))}|${mask.toString(36)}.${locked}`;
}

export function parseCompleted({ extra }: Ack): CompletedStream | undefined {
  const [digits = '', word = ''] = (extra ?? '').split('.');
  const mask = Number.parseInt(digits, 36);
  const locked = LOCKED.find((known) => known === word);
  if (!Number.isSafeInteger(mask) || mask < 0 || !locked) return undefined;
  return {
    locked,
    types: REQUEST_TYPES.filter((_type, bit) => Math.floor(mask / 2 ** bit) % 2 === 1),
  };
}
