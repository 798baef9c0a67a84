export { fold, isCorrectable, wordsOf, queryOfWords, wordListOf } from './words.ts';
export { meantWords } from './spelling.ts';
export { saveTextPart, similarWords } from './text.store.ts';
export { isFiller } from './keywords.ts';
