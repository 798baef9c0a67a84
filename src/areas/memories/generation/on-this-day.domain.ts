import type { Reader } from '../store.ts';
import { IS_OF_DAY, findFirstYear, listCandidates } from './candidates.store.ts';
import { getEnd, getStart, getYear, listAnniversaries } from './days.ts';
import type { Plan, PlanInput } from './plan.ts';

const LEAST = 4;

/** Plans a memory of the day for each former year with enough pictures. */
export async function planOnThisDay(reader: Reader, input: PlanInput): Promise<Plan[]> {
  const { days, rules, known, now } = input;
  if (rules.some(({ memoryType }) => memoryType === 'on_this_day')) return [];
  const firstYear = await findFirstYear(reader);
  if (firstYear === undefined) return [];
  const unwanted = new Set(rules.map(({ date }) => date));
  const wanted = days
    .flatMap((day) => listAnniversaries(day, firstYear).map((source) => ({ day, source })))
    .map((one) => ({ ...one, key: `on_this_day ${one.day} ${one.source}` }))
    .filter(({ source, key }) => !unwanted.has(source.slice(5)) && !known.has(key));
  const candidates = await listCandidates(reader, {
    subjects: wanted.map(({ source }) => source),
    condition: IS_OF_DAY,
    now,
  });
  const byDay = Map.groupBy(candidates, ({ subject }) => subject);
  return wanted.map(({ day, source, key }) => ({
    candidates: byDay.get(source) ?? [],
    draft: {
      key,
      type: 'on_this_day',
      data: { year: getYear(source) },
      subject: {},
      personId: null,
      petId: null,
      memoryAt: getStart(source),
      showAt: getStart(day),
      hideAt: getEnd(day),
      least: LEAST,
    },
  }));
}
