export { fold, isCorrectable, wordsOf, queryOfWords, wordListOf } from './match/words.ts';
export { meantWords } from './query/spelling.ts';
export { saveTextPart, similarWords } from './match/text.store.ts';
export { isFiller } from './query/keywords.ts';
