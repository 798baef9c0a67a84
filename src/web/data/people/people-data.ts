import { requireValue } from '../../../core/required.ts';
import { toUrl, get, post, put, remove } from '../../base/api.ts';
import { mutate } from '../../base/query-client.ts';
import { keys } from '../query-keys.ts';
import type {
  AssetNames,
  Correction,
  Corrections,
  MergeSuggestions,
  MergeVerdict,
  People,
  Person,
  PersonRelation,
  PersonUpdate,
  Verdict,
} from '../../../areas/people/schemas.ts';
import { t } from '../../base/i18n.ts';

export type {
  AssetNames,
  Correction,
  MergeSuggestions,
  MergeVerdict,
  People,
  Person,
  PersonUpdate,
};
export type Relation = NonNullable<PersonRelation['relation']>;
export type Suggestion = MergeSuggestions['suggestions'][number];

type Wanted = {
  page?: number;
  size?: number;
  withHidden?: boolean;
  closestPersonId?: string;
  likelyOnly?: boolean;
};

/** Named ones first, then those who are seen most. */
export const fetchPeople = (query: Wanted): Promise<People> => get('/people', query);

/** The most people that one request may return. */
export const LARGEST_PAGE = 1000;

/** Returns the first `count` people, in as many requests as that takes. */
export async function fetchFirstPeople(count: number, withHidden: boolean): Promise<People> {
  const size = Math.min(count, LARGEST_PAGE);
  const pages = await Promise.all(
    Array.from({ length: Math.ceil(count / size) }, (_, at) =>
      fetchPeople({ page: at + 1, size, withHidden }),
    ),
  );
  // Somebody may have moved from one page to the next between two requests.
  const people = new Map(pages.flatMap((page) => page.people.map((one) => [one.id, one])));
  return { ...requireValue(pages.at(-1), 'page of people'), people: [...people.values()] };
}

export const fetchNames = (assetIds: readonly string[]): Promise<AssetNames[]> =>
  post('/people/names', { assetIds });
export const fetchPerson = (id: string): Promise<Person> => get(`/people/${id}`);
export const findPeople = (name: string, withHidden: boolean): Promise<Person[]> =>
  get('/search/person', { name, ...(withHidden && { withHidden }) });
const PEOPLE = { invalidates: [keys.people] };
/** People, their faces and the photos of them. */
const FACES = { invalidates: [keys.people, keys.faces, keys.results] };

export const createPerson = (name: string): Promise<Person> =>
  mutate(() => post('/people', { name }), PEOPLE);
export const changePerson = (id: string, change: PersonUpdate): Promise<Person> =>
  mutate(() => put(`/people/${id}`, change), PEOPLE);
export const fetchRelation = (id: string): Promise<PersonRelation> => get(`/people/${id}/relation`);
export const setRelation = (id: string, relation: Relation | null): Promise<PersonRelation> =>
  mutate(() => put(`/people/${id}/relation`, { relation }), {
    invalidates: [keys.people, keys.results],
  });
export const countAssets = (id: string): Promise<{ assets: number }> =>
  get(`/people/${id}/statistics`);

/** The first one stays. */
export const mergePeople = (ids: readonly string[]) =>
  mutate(() => post('/people/merge', { ids }), FACES);
export const fetchSuggestions = (): Promise<MergeSuggestions> => get('/people/merge-suggestions');
/** 'ignore' is about one of the two alone: nobody is suggested for that person again. */
export const putVerdict = (pair: Suggestion, verdict: MergeVerdict): Promise<Verdict> =>
  mutate(
    () =>
      put('/people/merge-suggestions/verdicts', {
        verdict,
        firstPersonId: pair.first.id,
        secondPersonId: pair.second.id,
        ...(verdict === 'ignore' && { personId: getIgnored(pair).id }),
      }),
    FACES,
  );
export const deleteVerdict = (pair: Suggestion, verdict: MergeVerdict): Promise<void> =>
  mutate(
    () =>
      remove('/people/merge-suggestions/verdicts', {
        firstPersonId: (verdict === 'ignore' ? getIgnored(pair) : pair.first).id,
        secondPersonId: (verdict === 'ignore' ? getIgnored(pair) : pair.second).id,
      }),
    PEOPLE,
  );

/** Returns whom 'ignore' is about: the one without a name, probably a passer-by. */
export const getIgnored = ({ first, second }: Suggestion): Person =>
  !first.name && second.name ? first : second;

export const fetchCorrections = (id: string, size = 20): Promise<Corrections> =>
  get(`/people/${id}/corrections`, { size });
export const undoCorrection = (id: string): Promise<Correction> =>
  mutate(() => post(`/people/corrections/${id}/undo`), FACES);

/** Undoes the newest decision of this kind about a person; throws if there is none to undo. */
export async function undoLastCorrection(
  personId: string,
  kind: Correction['kind'],
): Promise<void> {
  const { items } = await fetchCorrections(personId);
  const last = items.find((one) => one.kind === kind && one.canUndo);
  if (!last) throw new Error(t('This can no longer be undone.'));
  await undoCorrection(last.id);
}

export const faceUrl = ({ id, updatedAt }: Pick<Person, 'id' | 'updatedAt'>): string =>
  toUrl(`/people/${id}/thumbnail`, { c: updatedAt });

/** The only words of the page for a person without a name, and for the question who that is. */
export const UNNAMED_PERSON = t('Unnamed person');
export const WHO_IS_THIS = t('Who is this?');

export const getName = ({ name }: Pick<Person, 'name'>): string => name || UNNAMED_PERSON;
