export { assetRoutes } from './routes.ts';
export { mergeAssets } from './merge.domain.ts';
export { elevationRequired } from './elevation.ts';
export { attachVideo } from './live-photo.domain.ts';
export { setVisibility } from './lock.domain.ts';
export { archiveAssets, unarchiveAssets } from './shelf.store.ts';
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
