import { queryOptions, useQuery } from '@tanstack/react-query';
import { get } from '../../base/api.ts';
import { keys } from '../query-keys.ts';
import type { Pins } from '../types.ts';

/** No event tells what was pinned on another device. */
const POLLING_MS = 60_000;

export const pinsQuery = () =>
  queryOptions({ queryKey: keys.pins, queryFn: () => get<Pins>('/users/me/pins') });

export const usePins = (): Pins | undefined =>
  useQuery({ ...pinsQuery(), refetchInterval: POLLING_MS, staleTime: POLLING_MS }).data;
