export { assetRoutes } from './routes.ts';
export { mergeAssets } from './copy/merge.domain.ts';
export { elevationRequired } from './locked/elevation.ts';
export { attachVideo } from './live-photos/live-photo.domain.ts';
export { setVisibility } from './locked/lock.domain.ts';
export { archiveAssets, unarchiveAssets } from './locked/visibility.store.ts';
export { readMetadata, renderImage, renderVideo } from './jobs.ts';
export { assetsById, peopleOf, stacksOf, viewOptions } from './domain.ts';
export { type PersonView, toPerson } from './people.ts';
export {
  type Asset,
  type AssetPerson,
  AssetPersonDto,
  AssetResponseDto,
  AssetTypeEnum,
  AssetVisibility,
} from './schemas.ts';
export { ASSET_COLUMNS, type AssetView, EXIF_COLUMNS } from './store.ts';
export { NOBODY, toAsset, type ViewOptions } from './view.ts';
