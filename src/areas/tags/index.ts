export { tagCards } from './cards.store.ts';
export { foldTagCounts } from './jobs.ts';
export { type Tag, TagResponseDto } from './schemas.ts';
export { tagsOf } from './store.ts';
export { type TagView, toTag } from './view.ts';
