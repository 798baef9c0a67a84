import { queryOptions } from '@tanstack/react-query';
import { get } from '../../base/api.ts';
import { keys } from '../query-keys.ts';
import type { Memory, MemoryReadiness, MemoryRule } from '../types.ts';

export type MemoryFilter = {
  /** Shown on this day. */
  for?: string;
  isSaved?: boolean;
  isHidden?: boolean;
  isUpcoming?: boolean;
  size?: number;
};

/** Memories of a kind, newest first. */
export const memoriesQuery = (filter: MemoryFilter) =>
  queryOptions({
    queryKey: [...keys.memories, 'list', filter],
    queryFn: () => get<Memory[]>('/memories', { ...filter, withAllTypes: true }),
  });

/** Why there may be no memory. */
export const readinessQuery = () =>
  queryOptions({
    queryKey: [...keys.memories, 'readiness'],
    queryFn: () => get<MemoryReadiness>('/memories/readiness'),
  });

export const memoryQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.memories, 'memory', id],
    queryFn: () => get<Memory>(`/memories/${id}`),
  });

/** The show-less rules of the account. */
export const rulesQuery = () =>
  queryOptions({
    queryKey: [...keys.memories, 'rules'],
    queryFn: () => get<MemoryRule[]>('/memories/show-less'),
  });

/** Today's date in the viewer's calendar, '2026-07-01'. */
export function getToday(now = new Date()): string {
  const pad = (value: number) => String(value).padStart(2, '0');
  return `${now.getFullYear()}-${pad(now.getMonth() + 1)}-${pad(now.getDate())}`;
}
