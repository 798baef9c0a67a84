import { requireValue } from '../../../core/required.ts';
import { type Tokenizer, type TokenizerFile, addSpecialTokens, parseFrame } from './file.ts';

const WORDS = /'s|'t|'re|'ve|'m|'ll|'d|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+/gu;

/** CLIP's: the bytes of each word, joined pair by pair in the order that was learned. */
export function bytePair(file: TokenizerFile): Tokenizer {
  const numbers = new Map(Object.entries(file.model.vocab as Readonly<Record<string, number>>));
  const suffix = file.model.end_of_word_suffix ?? '';
  const frame = parseFrame(file.post_processor);
  const ranks = new Map(
    (file.model.merges ?? []).map((pair, rank) => [
      typeof pair === 'string' ? pair : pair.join(' '),
      rank,
    ]),
  );
  const letters = byteLetters();
  const known = new Map<string, number[]>();

  function join(word: string): number[] {
    const bytes = new TextEncoder().encode(word);
    const parts = Array.from(bytes, (byte) => requireValue(letters[byte], 'letter of the byte'));
    parts[parts.length - 1] += suffix;
    while (parts.length > 1) {
      const best = lowest(parts, ranks);
      if (best === undefined) break;
      parts.splice(best, 2, parts.slice(best, best + 2).join(''));
    }
    return parts.flatMap((part) => numbers.get(part) ?? []);
  }

  function pieces(word: string): number[] {
    let found = known.get(word);
    if (!found) {
      found = join(word);
      known.set(word, found);
    }
    return found;
  }

  return {
    encode(text, most) {
      const words = text.normalize('NFC').toLowerCase().match(WORDS) ?? [];
      return addSpecialTokens(frame, words.flatMap(pieces), most);
    },
    findId: (token) => numbers.get(token) ?? addedToken(file, token),
  };
}

const addedToken = (file: TokenizerFile, token: string) =>
  file.added_tokens?.find(({ content }) => content === token)?.id;

/** Where the pair stands that was learned first. */
function lowest(parts: readonly string[], ranks: ReadonlyMap<string, number>): number | undefined {
  let best: number | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (let at = 0; at + 1 < parts.length; at++) {
    const rank = ranks.get(`${parts[at]} ${parts[at + 1]}`);
    if (rank === undefined || rank >= least) continue;
    least = rank;
    best = at;
  }
  return best;
}

/** Every byte as a letter that can be seen: itself where it is one, else one from above 255. */
export function byteLetters(): string[] {
  const isVisible = (byte: number) =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) =>
    String.fromCodePoint(isVisible(byte) ? byte : next++),
  );
}
