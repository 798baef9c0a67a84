export {
  deleteBackups,
  findBackup,
  getDownload,
  listBackups,
  saveUploadedBackup,
  toStamp,
} from './files.domain.ts';
