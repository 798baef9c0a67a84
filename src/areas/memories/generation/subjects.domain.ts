import type { MemorySubject } from '../../../db/tables/memories.ts';
import type { Reader } from '../store.ts';
import { listCandidates } from './candidates.store.ts';
import { addDays, getEnd, getStart, getYear, listMonthDays } from './days.ts';
import { LEAST_OF_SUBJECT, type Plan, type PlanInput, SHOWN_DAYS } from './plan.ts';
import { findSlot, pickSubject } from './slots.ts';
import * as store from './subjects.store.ts';

const RECENT_MS = 90 * 24 * 60 * 60_000;

/** Plans memories of people and pets through the years, and of people on their birthday. */
export async function planSubjects(reader: Reader, input: PlanInput): Promise<Plan[]> {
  const { rules, now } = input;
  const types = new Set(rules.map(({ memoryType }) => memoryType));
  const unwanted = new Set(rules.map(({ personId, petId }) => personId ?? petId));
  const recent = await store.listRecentSubjects(reader, new Date(now.getTime() - RECENT_MS));
  const isWanted = ({ id }: { readonly id: string }) => !unwanted.has(id);
  const isNew = ({ id }: { readonly id: string }) => !recent.has(id);
  const people = types.has('person') ? [] : (await store.listPeople(reader)).filter(isWanted);
  const pets = types.has('pet') ? [] : (await store.listPets(reader)).filter(isWanted);
  const due = [
    ...listBirthdays(people, input),
    ...listSlots('person', people, input).filter(isNew),
    ...listSlots('pet', pets, input).filter(isNew),
  ];
  const plans: Plan[] = [];
  for (const subject of due) plans.push(await toPlan(reader, subject, input));
  return plans;
}

type DueSubject = {
  readonly kind: 'person' | 'pet';
  readonly id: string;
  readonly key: string;
  readonly day: string;
  readonly lastDay: string;
  readonly subject: MemorySubject;
};

const listWantedDays = ({ days, rules }: PlanInput): string[] =>
  days.filter((day) => !rules.some(({ date }) => date === day.slice(5)));

function listBirthdays(people: readonly store.PersonSubject[], input: PlanInput): DueSubject[] {
  return listWantedDays(input).flatMap((day) =>
    people
      .filter(({ birthDate }) => birthDate && isBirthday(birthDate, day))
      .map(({ id }) => ({
        kind: 'person' as const,
        id,
        key: `birthday ${day} ${id}`,
        day,
        lastDay: day,
        subject: { birthday: true },
      }))
      .filter(({ key }) => !input.known.has(key)),
  );
}

const isBirthday = (birthDate: string, day: string): boolean =>
  listMonthDays(day).includes(birthDate.slice(5)) && getYear(birthDate) < getYear(day);

function listSlots(
  kind: 'person' | 'pet',
  subjects: readonly { readonly id: string }[],
  input: PlanInput,
): DueSubject[] {
  return listWantedDays(input).flatMap((day) => {
    const key = `${kind} ${day}`;
    const slot = findSlot(kind, day);
    const picked =
      slot === undefined || input.known.has(key) ? undefined : pickSubject(kind, slot, subjects);
    if (!picked) return [];
    return [{ kind, id: picked.id, key, day, lastDay: addDays(day, SHOWN_DAYS - 1), subject: {} }];
  });
}

async function toPlan(
  reader: Reader,
  { kind, id, key, day, lastDay, subject }: DueSubject,
  { now }: PlanInput,
): Promise<Plan> {
  const condition = kind === 'person' ? store.showsPerson(day) : store.showsPet(day);
  return {
    candidates: await listCandidates(reader, { subjects: [id], condition, now }),
    draft: {
      key,
      type: kind,
      data: {},
      subject,
      personId: kind === 'person' ? id : null,
      petId: kind === 'pet' ? id : null,
      memoryAt: getStart(day),
      showAt: getStart(day),
      hideAt: getEnd(lastDay),
      least: LEAST_OF_SUBJECT,
    },
  };
}
