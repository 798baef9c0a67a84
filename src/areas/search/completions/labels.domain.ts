import type { Ctx } from '../../../core/context.ts';
import { toPrimaryLanguage } from '../../../core/languages.ts';
import { loadVocabulary } from '../labels/vocabulary.ts';
import { toMatching } from '../match/matching.domain.ts';
import { findShown } from '../match/existence.store.ts';
import { type Candidate, listTyped, matchName } from './complete.ts';

/** Names that the library is asked for at once. */
const MAX_CHECKED = 16;
/** Two letters in Latin script, where too many names begin with one letter; one in other scripts, where it is a word. */
const MIN_LETTERS = /^(?:[\x20-\x7e]{2,}|.*[^\x20-\x7e].*)$/;

/** Returns what the pictures of the caller's Timeline show by names that a query may end with. */
export async function listLabelCandidates(
  ctx: Ctx,
  query: string,
  language = 'en',
): Promise<Candidate[]> {
  const typed = listTyped(query).filter(({ term }) => MIN_LETTERS.test(term));
  if (typed.length === 0) return [];
  const { listNames } = await loadVocabulary();
  const matches = listNames(toPrimaryLanguage(language) ?? 'en').flatMap((one) => {
    const match = matchName(one.name, typed);
    return match ? [{ ...one, ...match }] : [];
  });
  const longest = Math.min(...matches.map((one) => one.typed.start));
  const likely = matches
    .filter((one) => one.typed.start === longest)
    .toSorted((a, b) => Number(b.isStart) - Number(a.isStart))
    .slice(0, MAX_CHECKED);
  const matching = likely.length > 0 ? await toMatching(ctx, {}) : undefined;
  if (!matching) return [];
  const shown = await findShown(
    ctx,
    matching,
    likely.map(({ labels }) => labels),
  );
  return likely.flatMap(({ name }, at) =>
    shown[at] ? [{ kind: 'label' as const, label: name, count: MAX_CHECKED - at }] : [],
  );
}
