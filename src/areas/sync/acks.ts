import { ENTITY_TYPES, type EntityType, REQUEST_TYPES, type RequestType } from './types.ts';

// An ack is `type|place[|extra]`; clients hand it back as it was. A place is `<xid>-<id>`: everything in
// the log up to there is in the copy.

export type Place = { readonly xid: bigint; readonly id: bigint };

export const placeText = ({ xid, id }: Place): string => `${xid}-${id}`;
/** Before the first change of this transaction, after everything of earlier ones. */
export const startOf = (xid: bigint): Place => ({ xid, id: 0n });

export type Ack = {
  readonly type: EntityType;
  readonly place: Place | undefined;
  /** How far the tables were read, or what else tells a copy's state. */
  readonly extra: string | undefined;
  readonly text: string;
};

const KNOWN: ReadonlySet<string> = new Set(ENTITY_TYPES);
/** Both halves fit a bigint, so that no text of a client can fail in the database. */
const PLACE = /^(\d{1,18})-(\d{1,18})$/;
const EXTRA = /^[\w.-]{1,120}$/;
/** What is compared as a whole has a digest in the place of a place. */
const DIGEST = /^[0-9a-z]{1,20}$/;

export const WHOLE_TYPES: ReadonlySet<EntityType> = new Set(['AuthUserV1', 'UserMetadataV1']);

export type Parsed = Ack | { readonly unknownType: string } | undefined;

/** Undefined: nothing that was ever sent. */
export function parseAck(text: string): Parsed {
  const [type = '', middle = '', extra, ...rest] = text.split('|');
  if (!KNOWN.has(type)) return { unknownType: type };
  if (rest.length > 0 || (extra !== undefined && !EXTRA.test(extra))) return undefined;
  const known = { type: type as EntityType, extra, text };
  if (type === 'SyncResetV1') return { ...known, place: undefined };
  if (WHOLE_TYPES.has(known.type)) {
    return DIGEST.test(middle) ? { ...known, place: undefined, extra: middle } : undefined;
  }
  const found = PLACE.exec(middle);
  return found ? { ...known, place: { xid: BigInt(found[1]!), id: BigInt(found[2]!) } } : undefined;
}

/** Which types a finished stream brought up to date, and whether what is Locked was among it. */
export type Completed = {
  readonly types: readonly RequestType[];
  readonly locked: 'all' | 'none' | 'unsure';
};

const LOCKED = ['all', 'none', 'unsure'] as const;

export function completeAck(watermark: bigint, { types, locked }: Completed): string {
  const mask = REQUEST_TYPES.reduce(
    (sum, type, bit) => (types.includes(type) ? sum + 2 ** bit : sum),
    0,
  );
  return `SyncCompleteV1|${placeText(startOf(watermark))}|${mask.toString(36)}.${locked}`;
}

export function completedBy({ extra }: Ack): Completed | undefined {
  const [digits = '', word = ''] = (extra ?? '').split('.');
  const mask = Number.parseInt(digits, 36);
  const locked = LOCKED.find((known) => known === word);
  if (!Number.isSafeInteger(mask) || mask < 0 || !locked) return undefined;
  return {
    locked,
    types: REQUEST_TYPES.filter((_type, bit) => Math.floor(mask / 2 ** bit) % 2 === 1),
  };
}
