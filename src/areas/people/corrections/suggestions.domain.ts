import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { invalidField, noAccess } from '../../../core/errors.ts';
import type { PersonRow } from '../../../db/tables/people.ts';
import { keepLimit } from '../../../db/limits/keep-limit.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { listAllVisible } from '../domain.ts';
import { mergeLockedPeople } from './merge.domain.ts';
import { countFaces } from './merge.store.ts';
import type { MergeSuggestions, Verdict, VerdictCreate, VerdictDelete } from '../schemas.ts';
import { getFaceModel, MIN_LIKELY_SIMILARITY } from '../clustering/similarity.domain.ts';
import { dot } from '../../../inference/index.ts';
import { getPersonVectors } from '../clustering/similarity.store.ts';
import { type ListedPerson, lockPeople } from '../store.ts';
import { deleteVerdict, listVerdicts, type Pair, saveVerdict } from './suggestions.store.ts';
import { toPerson } from '../face-box.ts';

const MAX_SUGGESTIONS = 100;
/** All pairs are compared: only the people with the most faces take part. */
const MAX_COMPARED = 800;
const LATER_MS = 30 * 24 * 60 * 60 * 1000;

export async function listMergeSuggestions(ctx: Ctx): Promise<MergeSuggestions> {
  const { userId } = requireUser(ctx.session);
  const modelId = await getFaceModel(ctx);
  if (!modelId) return { suggestions: [] };
  const listed = await listAllVisible(ctx, { withHidden: false });
  const isSettled = await loadSettledPairs(ctx, userId);
  const open = listed
    .filter((person) => person.faces > 0 && !isSettled(person.id, person.id))
    .toSorted(compareByFaces)
    .slice(0, MAX_COMPARED);
  const vectors = await getPersonVectors(
    ctx.db,
    modelId,
    open.map((person) => person.id),
  );
  const found = findSimilarPairs(open, vectors).filter(
    ({ first, second }) => !isSettled(first.id, second.id),
  );
  return {
    suggestions: found.slice(0, MAX_SUGGESTIONS).map(({ first, second, similarity }) => ({
      first: toPerson(first),
      second: toPerson(second),
      similarity: Math.min(1, similarity),
    })),
  };
}

type SimilarPair = {
  readonly first: ListedPerson;
  readonly second: ListedPerson;
  readonly similarity: number;
};

function findSimilarPairs(
  open: readonly ListedPerson[],
  vectors: ReadonlyMap<string, Float32Array>,
): SimilarPair[] {
  const known = open.flatMap((person) => {
    const vector = vectors.get(person.id);
    return vector ? [{ person, vector }] : [];
  });
  const pairs: SimilarPair[] = [];
  for (const [index, { person: first, vector }] of known.entries()) {
    for (const { person: second, vector: other } of known.slice(index + 1)) {
      const similarity = dot(vector, other);
      if (similarity >= MIN_LIKELY_SIMILARITY) pairs.push({ first, second, similarity });
    }
  }
  return pairs.toSorted(
    (one, other) => other.similarity - one.similarity || compare(one.first.id, other.first.id),
  );
}

/**
 * Returns a predicate: whether the owner's verdict on a pair still holds; the same id twice asks
 * for "ignore".
 */
async function loadSettledPairs(ctx: Ctx, userId: string) {
  const settled = new Set<string>();
  for (const { lowId, highId, verdict, updatedAt } of await listVerdicts(ctx.db, userId)) {
    const until = new Date(updatedAt).getTime() + LATER_MS;
    if (verdict !== 'later' || until > ctx.now().getTime()) settled.add(`${lowId} ${highId}`);
  }
  return (one: string, other: string) => {
    const { lowId, highId } = toPair(one, other);
    return settled.has(`${lowId} ${highId}`);
  };
}

export async function putVerdict(ctx: Ctx, input: VerdictCreate): Promise<Verdict> {
  const { userId } = requireUser(ctx.session);
  const pair = toPair(input.firstPersonId, input.secondPersonId);
  const personId = input.personId?.toLowerCase();
  if (pair.lowId === pair.highId)
    throw invalidField('secondPersonId', 'Must differ from firstPersonId');
  if (input.verdict === 'ignore' ? !isInPair(pair, personId) : personId !== undefined) {
    throw invalidField(
      'personId',
      'Must be a person of the pair, and is allowed with the verdict ignore only',
    );
  }
  return inTransaction(ctx, async (ctx) => {
    const found = await lockPeople(ctx.db, requireUser(ctx.session), [pair.lowId, pair.highId]);
    const [one, other] = [...found.values()];
    if (!one || !other) throw noAccess('person.update');
    if (input.verdict === 'same') return mergePair(ctx, [one, other], pair);
    const about =
      input.verdict === 'ignore' && personId ? { lowId: personId, highId: personId } : pair;
    const { verdict } = input;
    const row = await keepLimit(ctx, 'mergeVerdict', { ownerId: userId }, ({ db }) =>
      saveVerdict(db, userId, about, verdict, ctx.now()),
    );
    const until = new Date(row.updatedAt.getTime() + LATER_MS).toISOString();
    return {
      ...toResponse(pair, row.createdAt, row.updatedAt),
      verdict: row.verdict,
      personId: row.verdict === 'ignore' ? row.lowId : null,
      skipUntil: row.verdict === 'later' ? until : null,
    };
  });
}

/** Sorts the pair: the named person first, else the one with more faces, else the smaller id. */
async function mergePair(
  ctx: Ctx,
  [one, two]: readonly [PersonRow, PersonRow],
  pair: Pair,
): Promise<Verdict> {
  const counts = await countFaces(ctx.db, [pair.lowId, pair.highId]);
  const getFaceCount = (person: PersonRow) => counts.get(person.id) ?? 0;
  const order =
    Number(two.name !== '') - Number(one.name !== '') ||
    getFaceCount(two) - getFaceCount(one) ||
    compare(one.id, two.id);
  const [survivor, other] = order <= 0 ? [one, two] : [two, one];
  await mergeLockedPeople(ctx, survivor, [other]);
  return {
    ...toResponse(pair, ctx.now(), ctx.now()),
    verdict: 'same',
    mergedIntoPersonId: survivor.id,
  };
}

/** Deletes the verdict on a pair or, with one id twice, on a single person. */
export async function deleteVerdicts(ctx: Ctx, input: VerdictDelete): Promise<void> {
  const pair = toPair(input.firstPersonId, input.secondPersonId);
  await deleteVerdict(ctx.db, requireUser(ctx.session).userId, pair);
}

const toResponse = (pair: Pair, createdAt: Date, updatedAt: Date): Omit<Verdict, 'verdict'> => ({
  firstPersonId: pair.lowId,
  secondPersonId: pair.highId,
  personId: null,
  mergedIntoPersonId: null,
  skipUntil: null,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});

function toPair(one: string, other: string): Pair {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()];
  return a < b ? { lowId: a, highId: b } : { lowId: b, highId: a };
}

const isInPair = ({ lowId, highId }: Pair, id: string | undefined) => id === lowId || id === highId;
const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);
const compareByFaces = (one: ListedPerson, other: ListedPerson) =>
  Number(other.name !== '') - Number(one.name !== '') ||
  other.faces - one.faces ||
  compare(one.id, other.id);
