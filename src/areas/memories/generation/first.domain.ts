import { toDay } from '../../../core/dates.ts';
import type { JobCtx } from '../../../jobs/define.ts';
import type { Reader } from '../store.ts';
import { hasNewLibrary, IS_OF_YEAR, listCandidates } from './candidates.store.ts';
import { addDays, getEnd, getStart, getYear } from './days.ts';
import { findJourneys } from './journeys.ts';
import { LEAST_OF_SUBJECT, type Plan, type PlanInput } from './plan.ts';
import { planJourney } from './places.domain.ts';
import { listDayPlaces } from './places.store.ts';
import { listFrequentPeople, showsPerson } from './subjects.store.ts';

// After a first import somebody wants to see what came: its last journeys, who is on it, and the best of two years. They
// are made once, whatever day of the week it is.

const SHOWN_DAYS = 7;
const MOST_OF_KIND = 2;
/** So far back a year is worth a look. */
const YEARS = 10;
const LEAST_OF_YEAR = 12;
/** Fewer are an event, not a year. */
const LEAST_MONTHS = 3;

/** Plans the first memories of a new library; those that were made before are left out. */
export async function planFirst(ctx: JobCtx, reader: Reader, input: PlanInput): Promise<Plan[]> {
  if (!(await hasNewLibrary(reader, input.now))) return [];
  const plans = [
    ...(await planJourneys(ctx, reader, input)),
    ...(await planPeople(reader, input)),
    ...(await planYears(reader, input)),
  ];
  return plans.filter(({ draft }) => !input.known.has(draft.key));
}

const hasRule = ({ rules }: PlanInput, type: string): boolean =>
  rules.some(({ memoryType }) => memoryType === type);

async function planJourneys(ctx: JobCtx, reader: Reader, input: PlanInput): Promise<Plan[]> {
  if (hasRule(input, 'place')) return [];
  const unwanted = new Set(input.rules.map(({ date }) => date));
  const journeys = findJourneys(await listDayPlaces(ctx, reader.session.userId))
    .filter(({ from }) => !unwanted.has(from.slice(5)))
    .slice(-MOST_OF_KIND);
  const plans: Plan[] = [];
  for (const journey of journeys) {
    const plan = await planJourney(reader, journey, input.now);
    plans.push({
      ...plan,
      draft: { ...plan.draft, ...getShown(input), key: `first place ${journey.id}` },
    });
  }
  return plans;
}

async function planPeople(reader: Reader, input: PlanInput): Promise<Plan[]> {
  if (hasRule(input, 'person')) return [];
  const unwanted = new Set(input.rules.map(({ personId }) => personId));
  const people = await listFrequentPeople(reader, MOST_OF_KIND);
  const plans: Plan[] = [];
  for (const { id } of people.filter((person) => !unwanted.has(person.id))) {
    const condition = showsPerson(toDay(input.now));
    plans.push({
      candidates: await listCandidates(reader, { subjects: [id], condition, now: input.now }),
      draft: {
        ...getShown(input),
        key: `first person ${id}`,
        type: 'person',
        data: {},
        subject: {},
        personId: id,
        petId: null,
        memoryAt: getStart(toDay(input.now)),
        least: LEAST_OF_SUBJECT,
      },
    });
  }
  return plans;
}

async function planYears(reader: Reader, input: PlanInput): Promise<Plan[]> {
  const last = getYear(toDay(input.now));
  const years = Array.from({ length: YEARS }, (_, n) => String(last - n));
  const candidates = await listCandidates(reader, {
    subjects: years,
    condition: IS_OF_YEAR,
    now: input.now,
  });
  const byYear = Map.groupBy(candidates, ({ subject }) => subject);
  const isYear = (year: string) => {
    const months = new Set(byYear.get(year)?.map(({ takenMs }) => new Date(takenMs).getUTCMonth()));
    return months.size >= LEAST_MONTHS;
  };
  return years
    .filter(isYear)
    .slice(0, MOST_OF_KIND)
    .map((year) => ({
      candidates: byYear.get(year) ?? [],
      draft: {
        ...getShown(input),
        key: `first year ${year}`,
        type: 'custom',
        data: {},
        subject: { year: Number(year) },
        personId: null,
        petId: null,
        memoryAt: getStart(`${year}-07-01`),
        least: LEAST_OF_YEAR,
      },
    }));
}

function getShown({ now }: PlanInput): { showAt: Date; hideAt: Date } {
  const today = toDay(now);
  return { showAt: getStart(today), hideAt: getEnd(addDays(today, SHOWN_DAYS - 1)) };
}
