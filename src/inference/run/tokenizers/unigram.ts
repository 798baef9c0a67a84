import { type Tokenizer, type TokenizerFile, addSpecialTokens, parseFrame } from './file.ts';

const SPACE = '▁';
/** An unknown character costs so much more than the rarest piece. */
const UNKNOWN_COST = 10;

/** SentencePiece's: the cut into pieces that is likeliest as a whole. */
export function unigram(file: TokenizerFile): Tokenizer {
  const vocabulary = file.model.vocab as readonly (readonly [string, number])[];
  const numbers = new Map(vocabulary.map(([piece], id) => [piece, id]));
  const longest = vocabulary.reduce((most, [piece]) => Math.max(most, piece.length), 1);
  const rarest = vocabulary.reduce((least, [, score]) => Math.min(least, score), 0);
  const unknown = file.model.unk_id ?? 0;
  const frame = parseFrame(file.post_processor);

  function cut(text: string): number[] {
    const costs = new Float64Array(text.length + 1).fill(Number.POSITIVE_INFINITY);
    const from = new Int32Array(text.length + 1);
    const ids = new Int32Array(text.length + 1);
    costs[0] = 0;
    const offer = (start: number, end: number, id: number, cost: number) => {
      if (costs[start]! + cost >= costs[end]!) return;
      costs[end] = costs[start]! + cost;
      from[end] = start;
      ids[end] = id;
    };
    for (let start = 0; start < text.length; start++) {
      for (let end = start + 1; end <= Math.min(text.length, start + longest); end++) {
        const id = numbers.get(text.slice(start, end));
        if (id !== undefined) offer(start, end, id, -vocabulary[id]![1]);
      }
      offer(start, start + 1, unknown, UNKNOWN_COST - rarest);
    }
    const found: number[] = [];
    for (let end = text.length; end > 0; end = from[end]!) found.unshift(ids[end]!);
    return found;
  }

  return {
    encode(text, most) {
      const words = text.normalize('NFKC').trim().replaceAll(/\s+/g, SPACE);
      return addSpecialTokens(frame, words === '' ? [] : cut(SPACE + words), most);
    },
    findId: (token) => numbers.get(token),
  };
}
