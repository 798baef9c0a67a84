export {
  listAlbumAssetPages,
  removePartnerAssetsFromAlbums,
  removePartnerAssetsFromLinks,
} from './contents.store.ts';
