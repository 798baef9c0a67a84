import { post, put, remove } from '../../base/api.ts';
import { mutate, updateData } from '../../base/query-client.ts';
import { keys } from '../query-keys.ts';
import type { Partner } from '../types.ts';
import { type PartnerDirection, partnersQuery } from './queries.ts';

const PARTNERS = { invalidates: [keys.partners, keys.timeline, keys.results] };
type Sharing = Pick<Partner, 'hidesPlaces' | 'sharedFrom'>;
export const addPartner = (sharedWithId: string, sharing: Sharing): Promise<Partner> =>
  mutate(() => post('/partners', { sharedWithId, ...sharing }), PARTNERS);
export const removePartner = (id: string): Promise<void> =>
  mutate(() => remove(`/partners/${id}`), PARTNERS);
/** `sharedFrom: null` shares all. */
type PartnerChange = Pick<Partner, 'inTimeline' | 'hidesPlaces'> & { sharedFrom?: string | null };

/** Is seen at once. */
export const changePartner = (
  direction: PartnerDirection,
  id: string,
  change: PartnerChange,
): Promise<Partner> =>
  mutate(() => put(`/partners/${id}`, change), {
    ...PARTNERS,
    apply: () =>
      updateData<Partner[]>(partnersQuery(direction).queryKey, (partners) =>
        partners.map((partner) => (partner.id === id ? applyChange(partner, change) : partner)),
      ),
  });

const applyChange = (
  { sharedFrom: before, ...partner }: Partner,
  { sharedFrom = before, ...change }: PartnerChange,
): Partner => ({ ...partner, ...change, ...(sharedFrom && { sharedFrom }) });
