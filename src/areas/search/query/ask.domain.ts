import { DateTime, IANAZone } from 'luxon';
import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { findUser } from '../../users/index.ts';
import { searchMetadata } from '../domain.ts';
import { listFacts } from '../../assets/index.ts';
import { interpret } from './interpretation.ts';
import { createLexicon, type Lexicon } from './lexicon.ts';
import { listAlbumNames, listPetNames, listTagNames } from './lexicon.store.ts';
import { listNamedPeople } from '../../people/index.ts';
import { toTerm } from '../match/words.ts';
import { toMatching } from '../match/matching.domain.ts';
import { searchSmart, type SmartSearchResult } from '../semantic/smart.domain.ts';
import type { AskResponse, AskSearch } from '../semantic/smart.schemas.ts';

type Reply = {
  readonly interpretation: AskResponse['interpretation'];
  readonly found: SmartSearchResult;
};

/**
 * Searches by a natural-language question, with local rules and the caller's own names; nothing
 * leaves the server.
 */
export async function ask(ctx: Ctx, search: AskSearch): Promise<Reply> {
  const { userId } = requireUser(ctx.session);
  const [lexicon, user] = await Promise.all([
    loadLexicon(ctx, search.query),
    findUser(ctx.db, userId),
  ]);
  const zone = toValidZone(user?.timeZone);
  const now = DateTime.fromJSDate(ctx.now(), { zone });
  const { text, chips, ...read } = interpret(search.query, lexicon, {
    now,
    isSouthern: isSouthern(zone),
  });
  // Set explicitly: without a visibility, a metadata search would list more than this one.
  const filter = { visibility: 'timeline' as const, ...read.filter };
  const { query: _, ...paging } = search;
  const request = { ...filter, ...paging };
  const found =
    text === null
      ? { ...(await searchMetadata(ctx, request)), unresolved: [] }
      : await searchSmart(ctx, { ...request, query: text });
  return {
    interpretation: {
      text,
      filter,
      chips: [...chips],
      unresolved: [...found.unresolved],
      engine: 'local',
    },
    found,
  };
}

const toValidZone = (name: string | null | undefined): string =>
  name && IANAZone.isValidZone(name) ? name : 'utc';

/** Time zones of the southern hemisphere, where seasons are reversed. */
const SOUTHERN =
  /^(?:Australia\/|Pacific\/Auckland|Pacific\/Chatham|Antarctica\/|Africa\/(?:Johannesburg|Maputo|Harare|Windhoek|Gaborone|Lusaka|Maseru|Mbabane)|America\/(?:Argentina|Sao_Paulo|Santiago|Montevideo|Asuncion|Buenos_Aires|La_Paz|Punta_Arenas)|Atlantic\/Stanley|Indian\/(?:Antananarivo|Mauritius|Reunion))/;
const isSouthern = (zone: string): boolean => SOUTHERN.test(zone);

/** Returns the names that occur in the caller's pictures; those of albums where the query may name one. */
async function loadLexicon(ctx: Ctx, query: string): Promise<Lexicon> {
  const user = requireUser(ctx.session);
  const matching = await toMatching(ctx, {});
  const owners = matching?.owners ?? [user.userId];
  const [facts, people, albums, pets, tags, countries] = await Promise.all([
    listFacts(ctx, owners, ['place', 'camera']),
    listNamedPeople(ctx),
    /album/i.test(query) ? listAlbumNames(ctx.db, user.userId) : [],
    listPetNames(ctx.db, user),
    listTagNames(ctx.db, user),
    (germanCountries ??= readGermanCountries()),
  ]);
  const byCount = facts.toSorted((a, b) => b.count - a.count);
  return createLexicon({
    people,
    albums,
    pets,
    places: byCount
      .filter(({ kind, ownerId }) => kind === 'place' && !matching?.placeless.includes(ownerId))
      .map(({ parts }) => parts),
    cameras: byCount
      .filter(({ kind }) => kind === 'camera')
      .map(({ parts: [make, model] }) => [make, model]),
    tags,
    countries,
  });
}

let germanCountries: Promise<ReadonlyMap<string, string>> | undefined;

/**
 * Returns German and alternative English country names (folded) → the English name used in
 * metadata.
 */
async function readGermanCountries(): Promise<ReadonlyMap<string, string>> {
  const [german, english] = await Promise.all([
    import('i18n-iso-countries/langs/de.json').then((module) => module.default.countries),
    import('i18n-iso-countries/langs/en.json').then((module) => module.default.countries),
  ]);
  const names = new Map<string, string>();
  const getFirst = (name: string | readonly string[] | undefined) =>
    typeof name === 'string' ? name : name?.[0];
  for (const [code, name] of Object.entries(german as Record<string, string | string[]>)) {
    const country = getFirst((english as Record<string, string | string[]>)[code]);
    for (const one of [name].flat()) if (country) names.set(toTerm(one), country);
    // Alternative English names, too.
    for (const one of [(english as Record<string, string | string[]>)[code] ?? []].flat()) {
      if (country) names.set(toTerm(one), country);
    }
  }
  return names;
}
