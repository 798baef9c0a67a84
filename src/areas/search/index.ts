export { fold, isCorrectable, wordsOf, queryOfWords, wordListOf } from './words.ts';
export { saveTextPart } from './text.store.ts';
export { isFiller } from './keywords.ts';
