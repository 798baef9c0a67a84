import { basename } from 'node:path';
import { getMediaType, isSidecar } from '../../../media/formats.ts';
import { isPhotoJson } from '../../imports/index.ts';

/** Whether a file tells about photos and videos of its folder. */
export const isSidecarFile = (path: string): boolean =>
  isSidecar(path) || (/\.json$/i.test(path) && isPhotoJson(basename(path)));

/** Whether a scan looks for files of this name. */
export const isKnownFile = (path: string): boolean =>
  getMediaType(path) !== undefined || isSidecarFile(path);
