export {
  listAlbumAssetPages,
  removePartnerAssetsFromAlbums,
  removePartnerAssetsFromLinks,
} from './members.store.ts';
