export { getTagCards } from './cards.store.ts';
export {
  addTagsToAsset,
  findGarbledTags,
  removeTagsFromAsset,
  upsertFileTags,
} from './create-paths.domain.ts';
export { tagManyAssets, untagAssets, upsertTags } from './domain.ts';
export { filterOwnTags } from './store.ts';
export { TagResponseDto } from './schemas.ts';
export { type TagView, toTag } from './view.ts';
export { cleanUpTags } from './jobs.ts';
