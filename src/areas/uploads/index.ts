export { type Form, readForm } from './form/multipart.ts';
export { type LocalFile, publishLocalFile } from './publish/local-file.domain.ts';
