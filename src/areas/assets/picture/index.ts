export { findPicture, lockOwnPicture, lockPicture, type Picture } from './picture.store.ts';
