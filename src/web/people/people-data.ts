import { addressOf, get, post, put, remove } from '../api.ts';
import type {
  Correction,
  Corrections,
  MergeSuggestions,
  MergeVerdict,
  People,
  Person,
  PersonUpdate,
  Verdict,
} from '../../areas/people/schemas.ts';

export type { Correction, MergeSuggestions, MergeVerdict, People, Person, PersonUpdate };
export type Suggestion = MergeSuggestions['suggestions'][number];

type Wanted = { page?: number; size?: number; withHidden?: boolean; closestPersonId?: string };

/** Named ones first, then those who are seen most. */
export const fetchPeople = (query: Wanted): Promise<People> => get('/people', query);

/** What one request may answer. */
const LARGEST_PAGE = 1000;

/** The first so many; beyond the largest page, of as many of these as it takes. */
export async function fetchFirstPeople(count: number, withHidden: boolean): Promise<People> {
  const size = Math.min(count, LARGEST_PAGE);
  const pages = await Promise.all(
    Array.from({ length: Math.ceil(count / size) }, (_, at) =>
      fetchPeople({ page: at + 1, size, withHidden }),
    ),
  );
  // Somebody may have moved from one page to the next between two requests.
  const people = new Map(pages.flatMap((page) => page.people.map((one) => [one.id, one])));
  return { ...pages.at(-1)!, people: [...people.values()] };
}

export const fetchPerson = (id: string): Promise<Person> => get(`/people/${id}`);
export const findPeople = (name: string, withHidden: boolean): Promise<Person[]> =>
  get('/search/person', { name, ...(withHidden && { withHidden }) });
export const createPerson = (name: string): Promise<Person> => post('/people', { name });
export const changePerson = (id: string, change: PersonUpdate): Promise<Person> =>
  put(`/people/${id}`, change);
export const countAssets = (id: string): Promise<{ assets: number }> =>
  get(`/people/${id}/statistics`);

/** The first one stays. */
export const mergePeople = (ids: readonly string[]) => post('/people/merge', { ids });
export const fetchSuggestions = (): Promise<MergeSuggestions> => get('/people/merge-suggestions');
/** 'ignore' is about one of the two alone: nobody is suggested for that person again. */
export const putVerdict = (pair: Suggestion, verdict: MergeVerdict): Promise<Verdict> =>
  put('/people/merge-suggestions/verdicts', {
    verdict,
    firstPersonId: pair.first.id,
    secondPersonId: pair.second.id,
    ...(verdict === 'ignore' && { personId: ignoredOf(pair).id }),
  });
export const deleteVerdict = (pair: Suggestion, verdict: MergeVerdict): Promise<void> =>
  remove('/people/merge-suggestions/verdicts', {
    firstPersonId: (verdict === 'ignore' ? ignoredOf(pair) : pair.first).id,
    secondPersonId: (verdict === 'ignore' ? ignoredOf(pair) : pair.second).id,
  });

/** Rather the one whom nobody has named: a passer-by. */
export const ignoredOf = ({ first, second }: Suggestion): Person =>
  !first.name && second.name ? first : second;

export const fetchCorrections = (id: string, size = 20): Promise<Corrections> =>
  get(`/people/${id}/corrections`, { size });
export const undoCorrection = (id: string): Promise<Correction> =>
  post(`/people/corrections/${id}/undo`);

/** The newest decision about a person that can be taken back: a merge, say. */
export async function undoLast(personId: string, kind: Correction['kind']): Promise<void> {
  const { items } = await fetchCorrections(personId);
  const last = items.find((one) => one.kind === kind && one.canUndo);
  if (!last) throw new Error('This can no longer be taken back.');
  await undoCorrection(last.id);
}

export const faceUrl = ({ id, updatedAt }: Pick<Person, 'id' | 'updatedAt'>): string =>
  addressOf(`/people/${id}/thumbnail`, { c: updatedAt });

export const nameOf = ({ name }: Person): string => name || 'No name yet';
