import { bytePair } from './bpe.ts';
import { readTokenizerFile, type Tokenizer } from './file.ts';
import { unigram } from './unigram.ts';
import { wordPiece } from './wordpiece.ts';

/** Opens a tokenizer by the type in its file. Throws for an unknown type. */
export function openTokenizer(path: string): Tokenizer {
  const file = readTokenizerFile(path);
  const type = file.model.type ?? 'WordPiece';
  if (type === 'WordPiece') return wordPiece(file);
  if (type === 'BPE' && file.model.end_of_word_suffix) return bytePair(file);
  if (type === 'Unigram') return unigram(file);
  throw new Error(`${path}: unknown tokenizer type ${type}, expected WordPiece, BPE or Unigram`);
}
