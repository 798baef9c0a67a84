import { hasPermission, type Permission, requirePermissions } from '../../../access/permissions.ts';
import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { type Bytes, toJsonBytes } from '../../../core/json-bytes.ts';
import {
  FACET_FIELDS,
  type FacetField,
  type Facets,
  type FacetsSearch,
  type FacetValue,
} from './counts.schemas.ts';
import { type Fact, listFacts } from '../../assets/index.ts';
import { listTagCounts, listTypeCounts, type TagCount } from './facets.store.ts';
import { isWholeScope, type OwnedMatching } from '../match/precomputed-counts.ts';
import type { Matching } from '../match/matching.store.ts';
import { resolveMatching } from '../query/query-resolution.domain.ts';
import { rememberReplicated } from '../match/matching.domain.ts';
import { type Column, countValues } from './values.store.ts';
import { countAssetsOfHiddenPeople, listPeople } from '../match/people.store.ts';

const DEFAULT_SIZE = 50;

type Counted = { readonly total: number; readonly values: ReadonlyMap<FacetField, FacetValue[]> };

/** Returns Facets as JSON. Throws 403 for a field that is asked for by name and whose values the key may not read. */
export async function renderFacets(ctx: Ctx, search: FacetsSearch): Promise<Bytes> {
  const { facetSize: size = DEFAULT_SIZE } = search;
  const fields = selectFields(ctx, search.facets);
  const matching = await resolveMatching(ctx, search);
  if (!matching) {
    const empty = fields.map((field) => ({ field, values: [] }));
    return toJsonBytes({ total: 0, facets: empty } satisfies Facets);
  }
  const render = ({ total, values }: Counted) => {
    const facets = fields.map((field) => ({
      field,
      values: sortByCount(values.get(field) ?? []).slice(0, size),
    }));
    return toJsonBytes({ total, facets } satisfies Facets);
  };
  return rememberReplicated(ctx, matching, ['facets', fields, size], async (reader) =>
    render(
      isWholeScope(matching) && matching.scope === 'timeline'
        ? await readPrecomputed(reader, matching, fields)
        : await countItems(reader, matching, fields),
    ),
  );
}

/** Permissions besides that of the search. */
const PERMISSIONS: Partial<Record<FacetField, Permission>> = {
  people: 'person.read',
  tags: 'tag.read',
};

function selectFields(
  { session }: Ctx,
  wanted: readonly FacetField[] | undefined,
): readonly FacetField[] {
  const { permissions } = requireUser(session);
  const isAllowed = (field: FacetField) => {
    const needed = PERMISSIONS[field];
    return needed === undefined || hasPermission(permissions, needed);
  };
  if (!wanted) return FACET_FIELDS.filter(isAllowed);
  requirePermissions(
    { permissions },
    wanted.flatMap((field) => PERMISSIONS[field] ?? []),
  );
  return [...new Set(wanted)];
}

const COLUMNS: Partial<Record<FacetField, Column>> = {
  type: 'type',
  country: 'country',
  state: 'state',
  city: 'city',
  make: 'make',
  model: 'model',
  lensModel: 'lens_model',
  rating: 'rating',
  isFavorite: 'is_favorite',
};

async function countItems(
  ctx: Ctx,
  matching: Matching,
  fields: readonly FacetField[],
): Promise<Counted> {
  const columns = fields.flatMap((field) => COLUMNS[field] ?? []);
  const counted = await countValues(ctx, matching, {
    // Every item has a type: its counts are the total.
    columns: columns.length > 0 ? columns : ['type'],
    tags: fields.includes('tags'),
    people: fields.includes('people'),
    viewerId: requireUser(ctx.session).userId,
  });
  const [first = []] = counted.values.values();
  const total = first.reduce((sum, { count }) => sum + count, 0);
  const people = counted.people.map(({ id, name, count }) => toPersonFacet(id, name, count));
  const values = new Map<FacetField, FacetValue[]>([
    ['tags', tagValues(counted, total)],
    ['people', withRest(people, total - counted.recognised)],
  ]);
  for (const field of fields) {
    const column = COLUMNS[field];
    if (column) values.set(field, (counted.values.get(column) ?? []).map(toFacetValue));
  }
  return { total, values };
}

const toFacetValue = ({ value, count }: { value: string | null; count: number }): FacetValue => ({
  value,
  label: value,
  count,
});

const tagValues = ({ tags, tagged }: { tags: readonly TagCount[]; tagged: number }, all: number) =>
  withRest(
    tags.map(({ id, label, count }) => ({ value: id, label, count })),
    all - tagged,
  );

/** Appends the number of items without a value as the value null. */
const withRest = (values: readonly FacetValue[], rest: number): FacetValue[] =>
  rest > 0 ? [...values, { value: null, label: null, count: rest }] : [...values];

/** Reads the precomputed counts; those of places leave out partners who hide theirs. */
async function readPrecomputed(
  ctx: Ctx,
  matching: OwnedMatching,
  fields: readonly FacetField[],
): Promise<Counted> {
  const { userId } = requireUser(ctx.session);
  const [types, facts, tags] = await Promise.all([
    listTypeCounts(ctx.db, matching, userId),
    listFacts(ctx, matching.owners),
    fields.includes('tags') ? listTagCounts(ctx.db, userId) : [],
  ]);
  const people = fields.includes('people') ? await getPeopleCount(ctx, matching, facts) : undefined;
  const total = types.reduce((sum, { count }) => sum + count, 0);
  const values = new Map<FacetField, FacetValue[]>([
    ['type', sumByValue(types, (row) => row.type)],
    ['isFavorite', sumByValue(types, (row) => String(row.isFavorite))],
  ]);
  for (const [field, [kind, part]] of Object.entries(PARTS)) {
    const known = sumByValue(
      facts.filter(
        (fact) =>
          fact.kind === kind && !(kind === 'place' && matching.placeless.includes(fact.ownerId)),
      ),
      (fact) => fact.parts[part],
    );
    const rest = total - known.reduce((sum, { count }) => sum + count, 0);
    values.set(field as FacetField, withRest(known, rest));
  }
  const tagged = facts
    .filter((fact) => fact.kind === 'tagged' && fact.ownerId === userId)
    .reduce((sum, { count }) => sum + count, 0);
  values.set('tags', tagValues({ tags, tagged }, total));
  if (people) values.set('people', withRest(people.people, total - people.recognised));
  return { total, values };
}

const PARTS: Partial<Record<FacetField, readonly [Fact['kind'], 0 | 1 | 2]>> = {
  country: ['place', 0],
  state: ['place', 1],
  city: ['place', 2],
  make: ['camera', 0],
  model: ['camera', 1],
  lensModel: ['camera', 2],
  rating: ['rating', 0],
};

/** Returns the sum of the counts of each value; rows without a value are left out. */
function sumByValue<T extends { readonly count: number }>(
  rows: readonly T[],
  getValue: (row: T) => string | null,
): FacetValue[] {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const value = getValue(row);
    if (value !== null) counts.set(value, (counts.get(value) ?? 0) + row.count);
  }
  return [...counts].map(([value, count]) => ({ value, label: value, count }));
}

/** Sorts by descending count, then by label; the value null comes last among equal counts. */
const sortByCount = (values: readonly FacetValue[]): FacetValue[] =>
  values.toSorted(
    (a, b) =>
      b.count - a.count ||
      Number(a.label === null) - Number(b.label === null) ||
      (a.label ?? '').localeCompare(b.label ?? ''),
  );

/** Values of the facet, and the number of items that have any of them. */
type PeopleCount = { readonly people: readonly FacetValue[]; readonly recognised: number };

const toPersonFacet = (id: string, name: string, count: number): FacetValue => ({
  value: id,
  label: name === '' ? null : name,
  count,
});

/** Returns the caller's people on whole Timelines from the precomputed counts. */
async function getPeopleCount(
  ctx: Ctx,
  matching: Matching,
  facts: readonly Fact[],
): Promise<PeopleCount> {
  const { userId } = requireUser(ctx.session);
  const known = new Map((await listPeople(ctx.db, userId)).map((person) => [person.id, person]));
  const people: FacetValue[] = [];
  let [recognised, hasHidden] = [0, false];
  for (const { kind, parts, count, ownerId } of facts) {
    if (kind === 'recognised' && ownerId === userId) recognised += count;
    const person = kind === 'person' ? known.get(parts[0] ?? '') : undefined;
    if (person?.isHidden) hasHidden = true;
    else if (person) people.push(toPersonFacet(person.id, person.name, count));
  }
  if (hasHidden) recognised -= await countAssetsOfHiddenPeople(ctx, matching, userId);
  return { people, recognised };
}
