export { fold, isCorrectable, wordsOf } from './words.ts';
export { saveTextPart } from './text.store.ts';
