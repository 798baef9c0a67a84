import { t } from '../../base/i18n.ts';
import { attempt, showUndo } from '../../ui/toast.tsx';
import {
  changePerson,
  fetchPeople,
  LARGEST_PAGE,
  mergePeople,
  type Person,
  undoLastCorrection,
} from './people-data.ts';

/** So many are enough to be named in a row. */
const MOST_UNNAMED = 500;

/** Returns people without a name, those first who are seen most. */
export async function fetchUnnamed(): Promise<Person[]> {
  const found: Person[] = [];
  for (let page = 1; ; page++) {
    const { people, hasNextPage } = await fetchPeople({ page, size: LARGEST_PAGE });
    found.push(...people.filter(({ name }) => !name));
    if (!hasNextPage || found.length >= MOST_UNNAMED) return found;
  }
}

/**
 * Gives somebody a name, or makes them one with somebody who has one. Tells so, with a way back, after which `onBack`
 * is called. True: it worked.
 */
export async function giveName(
  person: Person,
  who: string | Person,
  onBack: () => void,
): Promise<boolean> {
  const isNew = typeof who === 'string';
  const isDone = await attempt(() =>
    isNew ? changePerson(person.id, { name: who }) : mergePeople([who.id, person.id]),
  );
  if (!isDone) return false;
  showUndo(t('This is {name}', { name: isNew ? who : who.name }), async () => {
    const isBack = await attempt(() =>
      isNew ? changePerson(person.id, { name: '' }) : undoLastCorrection(who.id, 'merge'),
    );
    if (isBack) onBack();
  });
  return true;
}
