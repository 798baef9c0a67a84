import { DateTime, IANAZone } from 'luxon';
import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { findUser } from '../../users/index.ts';
import { searchMetadata } from '../domain.ts';
import { readTerms } from '../labels/query-terms.ts';
import { tokenize } from '../match/words.ts';
import { interpret } from './interpretation.ts';
import { isStopWord } from './keywords.ts';
import { loadLexicon } from './names.domain.ts';
import { searchSmart, type SmartSearchResult } from '../semantic/smart.domain.ts';
import type { AskResponse, AskSearch } from '../semantic/smart.schemas.ts';

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
  const { userId } = requireUser(ctx.session);
  const [lexicon, user] = await Promise.all([loadLexicon(ctx), findUser(ctx.db, userId)]);
  const zone = toValidZone(user?.timeZone);
  const now = DateTime.fromJSDate(ctx.now(), { zone });
  const { chips, ...read } = interpret(search.query, lexicon, {
    now,
    isSouthern: isSouthern(zone),
  });
  const text = read.text !== null && (await saysNothing(read.text, search)) ? null : read.text;
  // Set explicitly: without a visibility, a metadata search would list more than this one.
  const filter = { visibility: 'timeline' as const, ...read.filter };
  const { query: _, ...paging } = search;
  const request = { ...filter, ...paging };
  const found =
    text === null
      ? { ...(await searchMetadata(ctx, { ...request, orderBy: BY_DAY })), unresolved: [] }
      : // Without a filter it is the search of the whole query, which strips what says nothing by itself.
        await searchSmart(ctx, { ...request, query: chips.length === 0 ? search.query : text });
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

/** Stop words alone are a query where they name something in a language: 'mes' is a knife in Dutch, 'in' is nothing. */
async function saysNothing(text: string, { language }: AskSearch): Promise<boolean> {
  const words = tokenize(text);
  if (words.length === 0 || !words.every(isStopWord)) return false;
  return (await readTerms(text, language)).terms.length === 0;
}

const toValidZone = (name: string | null | undefined): string =>
  name && IANAZone.isValidZone(name) ? name : 'utc';

/** Time zones of the southern hemisphere, where seasons are reversed. */
const SOUTHERN =
  /^(?:Australia\/|Pacific\/Auckland|Pacific\/Chatham|Antarctica\/|Africa\/(?:Johannesburg|Maputo|Harare|Windhoek|Gaborone|Lusaka|Maseru|Mbabane)|America\/(?:Argentina|Sao_Paulo|Santiago|Montevideo|Asuncion|Buenos_Aires|La_Paz|Punta_Arenas)|Atlantic\/Stanley|Indian\/(?:Antananarivo|Mauritius|Reunion))/;
const isSouthern = (zone: string): boolean => SOUTHERN.test(zone);
