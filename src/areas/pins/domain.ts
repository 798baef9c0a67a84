import { randomUUID } from 'node:crypto';
import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { conflict, invalidField } from '../../core/errors.ts';
import type { PinRow } from '../../db/tables/preferences.ts';
import { inTransaction } from '../../db/transaction.ts';
import { getAlbumCards } from '../albums/index.ts';
import type { Language } from '../../core/languages.ts';
import { getMemoryCards } from '../memories/index.ts';
import { getPersonCards } from '../people/index.ts';
import { getTagCards } from '../tags/index.ts';
import type { PinnedCollections, PinnedCollectionsUpdate, PinWrite } from './schemas.ts';
import * as store from './store.ts';

type Target = Pick<PinRow, 'kind' | 'targetId'>;
type Card = {
  readonly title: string;
  readonly count: number;
  readonly coverAssetId: string | null;
};

/** Returns the cards of the targets that this session may see. */
async function findCards(
  ctx: Ctx,
  targets: readonly Target[],
  language: Language,
): Promise<Map<string, Card>> {
  const getIds = (kind: PinRow['kind']) =>
    targets.filter((target) => target.kind === kind).map((target) => target.targetId);
  const found = new Map<string, Card>();
  for (const [kind, readCards] of Object.entries(CARDS)) {
    const pinKind = kind as keyof typeof CARDS;
    const cards = await readCards(ctx, getIds(pinKind), language);
    for (const [targetId, card] of cards) found.set(toKey({ kind: pinKind, targetId }), card);
  }
  return found;
}

type CardReader = (
  ctx: Ctx,
  ids: readonly string[],
  language: Language,
) => Promise<ReadonlyMap<string, Card>>;

const CARDS: Readonly<Record<PinRow['kind'], CardReader>> = {
  album: ({ db, session }, ids) => getAlbumCards(db, session, ids),
  person: ({ db, session }, ids) => getPersonCards(db, session, ids),
  tag: ({ db, session }, ids) => getTagCards(db, session, ids),
  memory: getMemoryCards,
};

const toKey = ({ kind, targetId }: Target) => `${kind} ${targetId}`;

export async function listPins(ctx: Ctx, language: Language): Promise<PinnedCollections> {
  const { revision, pins } = await store.readList(ctx.db, requireUser(ctx.session).userId);
  const cards = await findCards(ctx, pins, language);
  return {
    revision,
    pins: pins.map((pin) => {
      const card = cards.get(toKey(pin));
      const { id, kind, targetId } = pin;
      if (!card) return { id, kind, targetId: null, isAvailable: false };
      return { id, kind, targetId, isAvailable: true, ...card };
    }),
  };
}

/** Replaces the whole list if its revision is still the given one. Throws 409 otherwise. */
export async function replacePins(
  ctx: Ctx,
  { expectedRevision, pins: wanted }: PinnedCollectionsUpdate,
  language: Language,
): Promise<PinnedCollections> {
  const { userId } = requireUser(ctx.session);
  return inTransaction(ctx, async (ctx) => {
    await store.lockList(ctx.db, userId);
    const { revision, pins: stored } = await store.readList(ctx.db, userId);
    if (revision !== expectedRevision) {
      throw conflict('The pins have changed: reload and try again', {
        code: 'stale_revision',
        currentRevision: revision,
        retryable: false,
      });
    }
    const pins = toRows(userId, stored, wanted);
    refuseDuplicates(pins);
    await refuseUnreachable(ctx, stored, pins);
    await store.replaceList(ctx.db, userId, { revision: revision + 1, pins });
    return listPins(ctx, language);
  });
}

/** A kept pin is identified by its id or by its target. */
function toRows(userId: string, stored: readonly PinRow[], wanted: readonly PinWrite[]): PinRow[] {
  const byId = new Map(stored.map((pin) => [pin.id, pin]));
  const byTarget = new Map(stored.map((pin) => [toKey(pin), pin]));
  return wanted.map(({ id, kind, targetId }, position) => {
    const at = (field: string) => `pins.${position}.${field}`;
    if (id !== undefined) {
      const pin = byId.get(id.toLowerCase());
      if (!pin) throw invalidField(at('id'), 'Unknown pin');
      if (pin.kind !== kind) throw invalidField(at('kind'), 'The kind of a pin cannot change');
      if (targetId && targetId.toLowerCase() !== pin.targetId) {
        throw invalidField(at('targetId'), 'The target of a pin cannot change');
      }
      return { ...pin, position };
    }
    if (!targetId) throw invalidField(at('targetId'), 'Required for a new pin');
    const target = { kind, targetId: targetId.toLowerCase() };
    const known = byTarget.get(toKey(target));
    return { userId, ...target, id: known?.id ?? randomUUID(), position };
  });
}

function refuseDuplicates(pins: readonly PinRow[]): void {
  const seen = new Set<string>();
  for (const pin of pins) {
    if (seen.has(toKey(pin))) throw invalidField(`pins.${pin.position}`, 'Pinned twice');
    seen.add(toKey(pin));
  }
}

/** Throws 400 for new targets out of reach. Existing pins stay even if they are. */
async function refuseUnreachable(
  ctx: Ctx,
  stored: readonly PinRow[],
  pins: readonly PinRow[],
): Promise<void> {
  const known = new Set(stored.map((pin) => pin.id));
  const added = pins.filter((pin) => !known.has(pin.id));
  const cards = await findCards(ctx, added, 'en');
  const wrong = added.find((pin) => !cards.has(toKey(pin)));
  if (wrong) throw invalidField(`pins.${wrong.position}.targetId`, 'Not found or no access');
}
