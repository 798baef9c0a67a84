export { recordAddition } from './additions.domain.ts';
export {
  addToAlbums,
  type AlbumOrigin,
  findOrCreateAlbum,
  findOrCreateAlbumFrom,
  findOrCreateSharedAlbum,
} from './collect.domain.ts';
export { addAssets, removeAssets, updateAlbum } from './domain.ts';
export { filterByRole, requireRole } from './roles.domain.ts';
export { announceAlbum } from './store.ts';
export { getAlbumCards } from './cards.store.ts';
export { getAlbumsById } from './view.domain.ts';
export { AlbumResponseDto } from './schemas.ts';
