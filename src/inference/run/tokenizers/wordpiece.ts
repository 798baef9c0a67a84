import { type Tokenizer, type TokenizerFile, addSpecialTokens, parseFrame } from './file.ts';

const LONGEST_WORD = 100;

/** BERT's: words without case and accents, cut into the longest pieces that are known. */
export function wordPiece(file: TokenizerFile): Tokenizer {
  const numbers = new Map(Object.entries(file.model.vocab as Readonly<Record<string, number>>));
  const unknown = numbers.get('[UNK]') ?? 0;
  const frame = parseFrame(file.post_processor);

  /** Returns the longest known piece that begins there, and where it ends. */
  function findPiece(word: string, from: number): { id: number; to: number } | undefined {
    for (let to = word.length; to > from; to--) {
      const id = numbers.get(toPiece(word, from, to));
      if (id !== undefined) return { id, to };
    }
    return undefined;
  }

  function pieces(word: string): number[] {
    if (word.length > LONGEST_WORD) return [unknown];
    const found: number[] = [];
    for (let from = 0; from < word.length;) {
      const piece = findPiece(word, from);
      if (!piece) return [unknown];
      found.push(piece.id);
      from = piece.to;
    }
    return found;
  }

  return {
    encode: (text, most) => addSpecialTokens(frame, words(text).flatMap(pieces), most),
    findId: (token) => numbers.get(token),
  };
}

const toPiece = (word: string, from: number, to: number) =>
  (from > 0 ? '##' : '') + word.slice(from, to);

/** Each punctuation mark and each Chinese character is a word. */
const words = (text: string): string[] =>
  text
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .replaceAll(/([\p{P}\p{S}\u4e00-\u9fff])/gu, ' $1 ')
    .split(/\s+/)
    .filter((word) => word !== '');
