export { tagCards } from './cards.store.ts';
export { tagOne, tagsOfFile } from './grow.domain.ts';
export { TagResponseDto } from './schemas.ts';
export { type TagView, toTag } from './view.ts';
