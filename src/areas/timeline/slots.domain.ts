import type { Ctx } from '../../core/context.ts';
import { requireValue } from '../../core/required.ts';
import { countTextBytes, defineKind } from '../../read-cache/memory.ts';
import { type Column, type Columns, readSlots } from './bucket.store.ts';
import { readChanges, type SlotChanges } from './slots.store.ts';
import { type Selection, SLOT_HOURS } from './store.ts';

// Large months of the own Timeline are remembered by slots of a few hours: after a change only the slots of the
// changed assets are read again. The change log names those assets.

/** `bytes`: the size, which is counted once, when the slot is read. */
type Slot = Columns & { readonly bytes: number };
/** By their beginnings, as YYYY-MM-DD HH:MM:SS. */
type Slots = ReadonlyMap<string, Slot>;
/** The log told everything before this transaction when the slots were read. */
type Entry = { readonly position: string; readonly slots: Slots };

const countBytes = ({ slots }: Entry) =>
  [...slots.values()].reduce((sum, { bytes }) => sum + bytes, 1);

/** Shared: most slots of a night have no items. */
const EMPTY: Slot = { count: 0, byName: new Map(), bytes: 0 };
/** Memory of a text and of its place in the map. */
const TEXT_BYTES = 100;

const toSlot = (columns: Columns): Slot =>
  columns.count === 0
    ? EMPTY
    : {
        ...columns,
        bytes: [...columns.byName.values()].reduce(
          (sum, text) => sum + TEXT_BYTES + countTextBytes(text),
          0,
        ),
      };

const memory = defineKind<Entry>('slots', countBytes);

type MonthRequest = {
  /** Covers everything that the columns depend on besides the rows. */
  readonly key: string;
  readonly selection: Selection & { readonly owners: readonly string[] };
  readonly month: string;
  /** The version of the month, read before. */
  readonly version: string;
};

/** Like readBucket, for a Timeline of the caller alone. */
export async function readBySlot(
  ctx: Ctx,
  { key, selection, month, version }: MonthRequest,
  columns: readonly Column[],
): Promise<Columns> {
  const before = memory.find(ctx, key);
  const all = listSlots(month);
  const read = async (wanted: readonly string[]) => {
    const { version, slots } = await readSlots(ctx, selection, { month, slots: wanted }, columns);
    return { version, slots: new Map([...slots].map(([slot, found]) => [slot, toSlot(found)])) };
  };

  // Read before the rows: a change in between makes the slots newer than the position, never older.
  const log = await readChanges(ctx, month, before?.position);
  let slots: Slots | undefined;
  if (before && log.isComplete) {
    const changed = listChangedSlots(before.slots, log);
    const after = changed.length > 0 ? await read(changed) : undefined;
    // A change in between may have moved an asset to a slot that was read, from one that was not.
    if (!after || after.version === version)
      slots = new Map([...before.slots, ...(after?.slots ?? [])]);
  }
  slots ??= (await read(all)).slots;
  memory.keep(ctx, key, { position: log.position, slots });
  const order = selection.order === 'asc' ? all : all.toReversed();
  return joinSlots(
    order
      .map((slot) => requireValue(slots.get(slot), 'slot of a month'))
      .filter(({ count }) => count > 0),
    columns,
  );
}

/** Returns the slots that show changed assets, and those that are to show them. */
function listChangedSlots(slots: Slots, { ids, slots: shown }: SlotChanges): string[] {
  const changed = new Set(shown);
  const isChanged = new Set(ids);
  const hasChanged = (text: string) =>
    ids.length <= SEARCHED
      ? ids.some((id) => text.includes(id))
      : (JSON.parse(`[${text}]`) as string[]).some((id) => isChanged.has(id));
  for (const [slot, { byName }] of slots) {
    if (!changed.has(slot) && hasChanged(byName.get('id') ?? '')) changed.add(slot);
  }
  return [...changed];
}

/** So many ids are searched for in a column sooner than it is parsed. */
const SEARCHED = 5;

const joinSlots = (slots: readonly Columns[], columns: readonly Column[]): Columns => ({
  count: slots.reduce((sum, { count }) => sum + count, 0),
  byName: new Map(
    columns.map((name) => [name, joinTexts(slots.map(({ byName }) => byName.get(name) ?? ''))]),
  ),
});

/** As `join`, which copies megabytes: the engine writes them once, with the rest of the response. */
const joinTexts = ([first = '', ...texts]: readonly string[]): string =>
  texts.reduce((joined, text) => `${joined},${text}`, first);

/** Lists the beginnings of the slots of a month. */
function listSlots(month: string): string[] {
  const [year, number] = month.split('-').map(Number) as [number, number];
  const days = new Date(Date.UTC(year, number, 0)).getUTCDate();
  const pad = (value: number) => String(value).padStart(2, '0');
  return Array.from({ length: (days * 24) / SLOT_HOURS }, (_, slot) => {
    const hour = slot * SLOT_HOURS;
    return `${month.slice(0, 8)}${pad(Math.floor(hour / 24) + 1)} ${pad(hour % 24)}:00:00`;
  });
}
