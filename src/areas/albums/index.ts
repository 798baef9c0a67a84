export { albumCards } from './cards.store.ts';
export { albumsById } from './domain.ts';
export { AlbumResponseDto } from './schemas.ts';
