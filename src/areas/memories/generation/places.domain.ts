import type { MemorySubject } from '../../../db/tables/memories.ts';
import type { JobCtx } from '../../../jobs/define.ts';
import type { Reader } from '../store.ts';
import { type Candidate, listCandidates } from './candidates.store.ts';
import { toDay } from '../../../core/dates.ts';
import { addDays, getEnd, getStart } from './days.ts';
import { findJourneys, type Journey } from './journeys.ts';
import { IS_AWAY, IS_OF_JOURNEY, listDayPlaces } from './places.store.ts';
import { LEAST_OF_SUBJECT, type Plan, type PlanInput, SHOWN_DAYS } from './plan.ts';
import { findSlot, pickSubject } from './slots.ts';

/** Days since the end of a journey: the last one is not remembered yet. */
const LEAST_AGE_DAYS = 60;

/** Plans memories of journeys. */
export async function planPlaces(
  ctx: JobCtx,
  reader: Reader,
  { days, rules, known, now }: PlanInput,
): Promise<Plan[]> {
  if (rules.some(({ memoryType }) => memoryType === 'place')) return [];
  const due = days.flatMap((day) => {
    const slot = findSlot('place', day);
    const key = `place ${day}`;
    return slot === undefined || known.has(key) ? [] : [{ day, slot, key }];
  });
  if (due.length === 0) return [];
  const last = addDays(toDay(now), -LEAST_AGE_DAYS);
  const unwanted = new Set(rules.map(({ date }) => date));
  const journeys = findJourneys(await listDayPlaces(ctx, reader.session.userId)).filter(
    ({ from, to }) => to <= last && !unwanted.has(from.slice(5)),
  );
  const plans: Plan[] = [];
  for (const { day, slot, key } of due) {
    const journey = pickSubject('place', slot, journeys);
    if (!journey) continue;
    const plan = await planJourney(reader, journey, now);
    const showAt = getStart(day);
    const hideAt = getEnd(addDays(day, SHOWN_DAYS - 1));
    plans.push({ ...plan, draft: { ...plan.draft, key, showAt, hideAt } });
  }
  return plans;
}

type JourneyPlan = Omit<Plan, 'draft'> & {
  readonly draft: Omit<Plan['draft'], 'key' | 'showAt' | 'hideAt'>;
};

/** Plans the memory of a journey, whenever it is shown. */
export const planJourney = async (
  reader: Reader,
  journey: Journey,
  now: Date,
): Promise<JourneyPlan> => ({
  candidates: await listCandidates(reader, {
    subjects: [JSON.stringify(journey)],
    condition: IS_OF_JOURNEY,
    filter: IS_AWAY,
    now,
  }),
  describe: namePlace,
  draft: {
    type: 'place',
    data: {},
    subject: {},
    personId: null,
    petId: null,
    memoryAt: getStart(journey.from),
    least: LEAST_OF_SUBJECT,
  },
});

/** Returns the most exact name that at least half of the pictures with a place share. */
function namePlace(members: readonly Candidate[]): MemorySubject {
  const placed = members.filter(({ city, state, country }) => city ?? state ?? country);
  const findShared = (name: 'city' | 'state' | 'country'): string | null => {
    const groups = Map.groupBy(placed, (member) => member[name]);
    const [most] = [...groups]
      .filter(([value]) => value)
      .toSorted((a, b) => b[1].length - a[1].length);
    return most && most[1].length * 2 >= placed.length ? most[0] : null;
  };
  return { city: findShared('city'), state: findShared('state'), country: findShared('country') };
}
