export { tagCards } from './cards.store.ts';
export { TagResponseDto } from './schemas.ts';
export { type TagView, toTag } from './view.ts';
