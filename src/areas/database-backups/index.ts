export {
  deleteBackups,
  findBackup,
  getDownload,
  listBackups,
  saveUploadedBackup,
} from './files.domain.ts';
export { DatabaseChangeDto } from './schemas.ts';
