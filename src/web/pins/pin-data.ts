import { ApiError, get, put } from '../api.ts';
import { createPersonalStore } from '../store.ts';
import { attempt } from '../toast.tsx';
import type { Pin, Pins } from '../types.ts';

/** Undefined until it was asked for. */
export const pins = createPersonalStore<Pins | undefined>(undefined);

export const fetchPins = async (): Promise<Pins> => {
  const list = await get<Pins>('/users/me/pins');
  pins.set(list);
  return list;
};

export const isPinned = (list: Pins | undefined, kind: Pin['kind'], targetId: string): boolean =>
  list?.pins.some((pin) => pin.kind === kind && pin.targetId === targetId) ?? false;

type Write = { id?: string; kind: Pin['kind']; targetId?: string | null };

const keep = ({ id, kind }: Pin): Write => ({ id, kind });

/** The list may have been changed on another device meanwhile: then on top of what it is now. */
async function save(change: (old: readonly Pin[]) => Write[]): Promise<void> {
  for (let turn = 0; ; turn++) {
    const known = turn === 0 ? (pins.get() ?? (await fetchPins())) : await fetchPins();
    try {
      const body = { expectedRevision: known.revision, pins: change(known.pins) };
      return pins.set(await put<Pins>('/users/me/pins', body));
    } catch (error) {
      if (turn > 2 || !(error instanceof ApiError && error.status === 409)) throw error;
    }
  }
}

export function togglePin(kind: Pin['kind'], targetId: string): Promise<boolean> {
  const isOn = isPinned(pins.get(), kind, targetId);
  return attempt(
    () =>
      save((old) => {
        const others = old.filter((pin) => pin.kind !== kind || pin.targetId !== targetId);
        return [...others.map(keep), ...(isOn ? [] : [{ kind, targetId }])];
      }),
    isOn ? 'Unpinned' : 'Pinned to the side',
  );
}

export const removePin = (id: string): Promise<boolean> =>
  attempt(() => save((old) => old.filter((pin) => pin.id !== id).map(keep)));

/** By so many places, as far as there are places. */
export const movePin = (id: string, by: number): Promise<boolean> =>
  attempt(() => save((old) => moved(old, id, by).map(keep)));

export function moved<T extends { id: string }>(list: readonly T[], id: string, by: number): T[] {
  const from = list.findIndex((item) => item.id === id);
  const item = list[from];
  if (!item) return [...list];
  const others = list.filter((other) => other !== item);
  const to = Math.max(0, Math.min(others.length, from + by));
  return [...others.slice(0, to), item, ...others.slice(to)];
}
