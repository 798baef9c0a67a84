export {
  findPicture,
  isEdited,
  lockOwnPicture,
  lockPicture,
  type Picture,
} from './picture.store.ts';
