import { useQuery } from '@tanstack/react-query';
import { UserRound } from 'lucide-react';
import { partnersQuery } from '../data/settings/queries.ts';
import type { Partner } from '../data/types.ts';
import type { Entry, EntryGroup } from './entries.ts';
import { t } from '../base/i18n.ts';

/** No event tells that somebody shares a timeline. */
const POLLING_MS = 60_000;

const toEntries = (partners: readonly Partner[]): readonly Entry[] =>
  partners
    .map(({ id, name }) => ({ path: `/sharing/${id}`, label: name, icon: UserRound }))
    .toSorted((a, b) => a.label.localeCompare(b.label));

/** Returns a place for each account that shares its timeline with this one. */
export const usePartnerEntries = (): readonly Entry[] =>
  useQuery({
    ...partnersQuery('shared-with'),
    refetchInterval: POLLING_MS,
    staleTime: POLLING_MS,
    select: toEntries,
  }).data ?? [];

/** The id of their group. */
export const PARTNERS = 'partners';

/** Returns these places as a group of the navigation; none without any. */
export const toPartnerGroups = (entries: readonly Entry[]): EntryGroup[] =>
  entries.length > 0 ? [{ id: PARTNERS, label: t('Shared with me'), entries }] : [];
