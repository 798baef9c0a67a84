import { bytePair } from './bpe.ts';
import { readTokenizerFile, type Tokenizer } from './file.ts';
import { unigram } from './unigram.ts';
import { wordPiece } from './wordpiece.ts';

/** By what the file says it is. Throws on a kind that we do not know. */
export function openTokenizer(path: string): Tokenizer {
  const file = readTokenizerFile(path);
  const type = file.model.type ?? 'WordPiece';
  if (type === 'WordPiece') return wordPiece(file);
  if (type === 'BPE' && file.model.end_of_word_suffix) return bytePair(file);
  if (type === 'Unigram') return unigram(file);
  throw new Error(`${path}: tokenizers of the kind ${type} are not known`);
}
