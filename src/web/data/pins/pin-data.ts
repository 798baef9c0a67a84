import { ApiError, put } from '../../base/api.ts';
import { mutate, queryClient } from '../../base/query-client.ts';
import { attempt, attemptUndoable } from '../../ui/toast.tsx';
import type { Pin, Pins } from '../types.ts';
import { pinsQuery } from './queries.ts';
import { t } from '../../base/i18n.ts';

export const isPinned = (list: Pins | undefined, kind: Pin['kind'], targetId: string): boolean =>
  list?.pins.some((pin) => pin.kind === kind && pin.targetId === targetId) ?? false;

type PinWrite = { id?: string; kind: Pin['kind']; targetId?: string | null };

const toWrite = ({ id, kind }: Pin): PinWrite => ({ id, kind });

const MOST_ATTEMPTS = 4;

/** Applies a change to the newest list, which another device may have changed meanwhile. */
const save = (change: (old: readonly Pin[]) => PinWrite[]): Promise<void> =>
  mutate(() => trySave(change), { invalidates: [] });

async function trySave(change: (old: readonly Pin[]) => PinWrite[]): Promise<void> {
  for (let attempts = 1; ; attempts++) {
    const staleTime = attempts === 1 ? Infinity : 0;
    const { revision, pins } = await queryClient.fetchQuery({ ...pinsQuery(), staleTime });
    try {
      const body = { expectedRevision: revision, pins: change(pins) };
      queryClient.setQueryData(pinsQuery().queryKey, await put<Pins>('/users/me/pins', body));
      return;
    } catch (error) {
      const isOutdated = error instanceof ApiError && error.status === 409;
      if (!isOutdated || attempts === MOST_ATTEMPTS) throw error;
    }
  }
}

export function togglePin(kind: Pin['kind'], targetId: string): Promise<boolean> {
  const isOn = isPinned(queryClient.getQueryData(pinsQuery().queryKey), kind, targetId);
  const change = (isWanted: boolean) => () =>
    save((old) => {
      const others = old.filter((pin) => pin.kind !== kind || pin.targetId !== targetId);
      return [...others.map(toWrite), ...(isWanted ? [{ kind, targetId }] : [])];
    });
  const done = isOn ? t('Unpinned') : t('Pinned to the side');
  return attemptUndoable(change(!isOn), done, change(isOn));
}

export const removePin = (id: string): Promise<boolean> =>
  attempt(() => save((old) => old.filter((pin) => pin.id !== id).map(toWrite)));

/** Moves a pin down by `by` places, or up by as many if that is negative. */
export const movePin = (id: string, by: number): Promise<boolean> =>
  attempt(() => save((old) => moveItem(old, id, by).map(toWrite)));

/** Returns the list with one item `by` places further down, clamped to the ends of the list. */
export function moveItem<T extends { id: string }>(
  list: readonly T[],
  id: string,
  by: number,
): T[] {
  const from = list.findIndex((item) => item.id === id);
  const item = list[from];
  if (!item) return [...list];
  const others = list.filter((other) => other !== item);
  const to = Math.max(0, Math.min(others.length, from + by));
  return [...others.slice(0, to), item, ...others.slice(to)];
}
