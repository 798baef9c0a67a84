import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { isGuest } from '../api.ts';
import { useMyId } from '../session/session.ts';
import { partnersQuery } from '../settings/queries.ts';
import type { MonthColumns, Partner } from '../types.ts';

const NONE: ReadonlyMap<string, string> = new Map();

const toNames = (partners: readonly Partner[]): ReadonlyMap<string, string> =>
  new Map(partners.map(({ id, name }) => [id, name]));

/** Returns the names of the account's partners by id, once the month has photos of others. */
export function usePartnerNames({ ownerId }: MonthColumns): ReadonlyMap<string, string> {
  const me = useMyId();
  const hasOthers = useMemo(() => ownerId.some((id) => id !== me), [ownerId, me]);
  const query = partnersQuery('shared-with');
  const { data } = useQuery({ ...query, enabled: hasOthers && !isGuest(), select: toNames });
  return data ?? NONE;
}
