export { isCorrectable, tokenize, toPrefixTsquery, buildTextVector } from './match/words.ts';
export { rankCorrections } from '../../core/edit-distance.ts';
export { saveTextPart, findSimilarWords } from './match/text-index.store.ts';
export { indexText } from './jobs.ts';
export { listColours } from './labels/labels.store.ts';
export { isStopWord } from './labels/function-words.ts';
