import { DateTime, IANAZone } from 'luxon';
import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { toPrimaryLanguage } from '../../../core/languages.ts';
import { CONSE } from '../../../inference/index.ts';
import { findUser } from '../../users/index.ts';
import { searchMetadata } from '../domain.ts';
import { isStopWord } from '../labels/function-words.ts';
import { type QueryTerms, readTerms } from '../labels/query-terms.ts';
import { loadVocabulary } from '../labels/vocabulary.ts';
import { toMatching } from '../match/matching.domain.ts';
import { tokenize, toLabelTsquery } from '../match/words.ts';
import { interpret } from './interpretation.ts';
import type { Chip } from './scanner.ts';
import { loadLexicon } from './names.domain.ts';
import { selectSemanticModels } from '../semantic/embeddings.domain.ts';
import { searchSmart, type SmartSearchResult } from '../semantic/smart.domain.ts';
import type { AskResponse, AskSearch } from '../semantic/smart.schemas.ts';
import { resolveSimilarWords, tokenizeQuery } from './spelling-correction.domain.ts';

/** Without a text: newest first by the local clock, so that the days of the place are not mixed. */
const BY_DAY = { field: 'localDateTime' } as const;

type Reply = {
  readonly interpretation: AskResponse['interpretation'];
  readonly found: SmartSearchResult;
};

/**
 * Searches by a natural-language question, with local rules and the caller's own names; nothing
 * leaves the server.
 */
export async function ask(ctx: Ctx, search: AskSearch): Promise<Reply> {
  const reply = await askOnce(ctx, search, true);
  const isWritten = reply.interpretation.chips.some(({ field }) => field === 'ocr');
  const isUnread =
    isWritten &&
    (await findsNothing(
      reply.found,
      search.page,
      async (first) => (await askOnce(ctx, { ...search, ...first }, true)).found,
    ));
  // A text that no model could read may stand on what the picture shows: a stop sign.
  return isUnread ? askOnce(ctx, search, false) : reply;
}

type Page = Pick<AskSearch, 'page' | 'size'>;

/** Returns whether a search finds nothing at all, not only behind its last page. */
async function findsNothing(
  found: SmartSearchResult,
  page: number | undefined,
  findFirst: (first: Page) => Promise<SmartSearchResult>,
): Promise<boolean> {
  if (found.items.length > 0) return false;
  if (page === undefined || page === 1) return true;
  const first = await findFirst({ page: 1, size: 1 });
  return first.items.length === 0;
}

/** `readsText`: whether words for text that a picture shows become a condition. */
async function askOnce(ctx: Ctx, search: AskSearch, readsText: boolean): Promise<Reply> {
  const { userId } = requireUser(ctx.session);
  const [lexicon, user, { findLabels, isWord }] = await Promise.all([
    loadLexicon(ctx),
    findUser(ctx.db, userId),
    loadVocabulary(),
  ]);
  const zone = toValidZone(user?.timeZone);
  const now = DateTime.fromJSDate(ctx.now(), { zone });
  const { chips, ...read } = interpret(search.query, lexicon, {
    now,
    isSouthern: isSouthern(zone),
    readsText,
    language: toPrimaryLanguage(search.language),
    isTerm: (term) => isWord(term) || findLabels(term) !== undefined,
  });
  const text = read.text !== null && (await saysNothing(read.text, search)) ? null : read.text;
  // Set explicitly: without a visibility, a metadata search would list more than this one.
  const filter = { visibility: 'timeline' as const, ...read.filter };
  const { query: _, ...paging } = search;
  const request = { ...filter, ...paging };
  const rest =
    chips.length > 0 && text !== null ? await readTerms(text, search.language) : undefined;
  const unlike = rest?.excludedAlone.length ? toLabelTsquery(rest.excludedAlone) : undefined;
  const unknown = rest && text !== null && !unlike ? await findUnknown(ctx, text, rest) : [];
  const byChips = async (words: readonly string[]) => ({
    ...(await searchMetadata(ctx, { ...request, orderBy: BY_DAY }, { unlike })),
    unresolved: words,
  });
  const byText = (query: string, page: Page = {}) =>
    // Without a filter it is the search of the whole query, which strips what says nothing by itself.
    searchSmart(ctx, { ...request, ...page, query: chips.length === 0 ? search.query : query });
  const byBoth = async (query: string) => {
    const found = await byText(query);
    const isLeftOut =
      rest !== undefined &&
      isNoCondition(rest, chips) &&
      (await findsNothing(found, search.page, (first) => byText(query, first)));
    return isLeftOut ? byChips(tokenizeQuery(query).words) : found;
  };
  const isByChips = text === null || unlike !== undefined || unknown.length > 0;
  const found = isByChips ? await byChips(unknown) : await byBoth(text);
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

/**
 * Returns whether a rest of the text that finds nothing beside its chips is left out: words for what no label shows, as
 * 'cruise', and whatever stands beside text that is read, which is reason enough.
 */
const isNoCondition = (rest: QueryTerms, chips: readonly Chip[]): boolean =>
  saysNoLabel(rest) || chips.some(({ field }) => field === 'ocr');

const saysNoLabel = ({ terms, excluded }: QueryTerms): boolean =>
  terms.length === 0 && excluded.length === 0;

/** Stop words alone are a query where they name something in a language: 'mes' is a knife in Dutch, 'in' is nothing. */
async function saysNothing(text: string, { language }: AskSearch): Promise<boolean> {
  const words = tokenize(text);
  if (words.length === 0 || !words.every(isStopWord)) return false;
  return (await readTerms(text, language)).terms.length === 0;
}

/**
 * Returns the words of a text if none of them is known: no label shows one, and none occurs in the library. Those of a
 * dictionary may still be known to a model that understands sentences.
 */
async function findUnknown(ctx: Ctx, text: string, rest: QueryTerms): Promise<readonly string[]> {
  const { words } = tokenizeQuery(text);
  if (!saysNoLabel(rest) || words.length === 0) return [];
  const library = await toMatching(ctx, {}, { scope: 'library' });
  if (!library) return words;
  const { isWord } = await loadVocabulary();
  if (words.some(isWord)) {
    const models = await selectSemanticModels(ctx, library);
    if (models && models.model.modelId !== CONSE) return [];
  }
  const { unresolved } = await resolveSimilarWords(ctx, library, words);
  return unresolved.length === words.length ? words : [];
}

const toValidZone = (name: string | null | undefined): string =>
  name && IANAZone.isValidZone(name) ? name : 'utc';

/** Time zones of the southern hemisphere, where seasons are reversed. */
const SOUTHERN =
  /^(?:Australia\/|Pacific\/Auckland|Pacific\/Chatham|Antarctica\/|Africa\/(?:Johannesburg|Maputo|Harare|Windhoek|Gaborone|Lusaka|Maseru|Mbabane)|America\/(?:Argentina|Sao_Paulo|Santiago|Montevideo|Asuncion|Buenos_Aires|La_Paz|Punta_Arenas)|Atlantic\/Stanley|Indian\/(?:Antananarivo|Mauritius|Reunion))/;
const isSouthern = (zone: string): boolean => SOUTHERN.test(zone);
