export {
  deleteBackups,
  findBackup,
  getDownload,
  listBackups,
  saveUploadedBackup,
  toStamp,
} from './files.domain.ts';
export { DatabaseChangeDto } from './schemas.ts';
