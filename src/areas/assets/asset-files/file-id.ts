import type { AssetFileKind } from '../../../db/tables/assets.ts';

export type FileType = 'fullsize' | 'preview' | 'thumbnail' | 'sidecar' | 'encoded_video';
export type FileKind = Exclude<AssetFileKind, 'bare_video' | 'bare_image'>;

export const FILE_KINDS = [
  'thumbnail',
  'preview',
  'fullsize',
  'edited_thumbnail',
  'edited_preview',
  'edited_fullsize',
  'encoded_video',
  'sidecar',
] as const satisfies readonly FileKind[];

const flipLastDigit = (id: string, bits: number): string =>
  `${id.slice(0, -1)}${(Number.parseInt(id.slice(-1), 16) ^ bits).toString(16)}`;

const getBits = (kind: FileKind): number => FILE_KINDS.indexOf(kind) + 1;

/**
 * Returns the id of a file, a UUID of version 4: that of its asset with other bits at its end. It stays the
 * same when the file is made anew, and leads to the asset without an index of files.
 */
export const toFileId = (assetId: string, kind: FileKind): string =>
  flipLastDigit(assetId, getBits(kind));

export type FileRef = { readonly assetId: string; readonly kind: FileKind };

/** Returns the files that may have this id, of which one exists at most: asset ids are random. */
export const listFileRefs = (id: string): FileRef[] =>
  FILE_KINDS.map((kind) => ({ assetId: flipLastDigit(id.toLowerCase(), getBits(kind)), kind }));

export const isEdited = (kind: FileKind): boolean => kind.startsWith('edited_');
export const getFileType = (kind: FileKind): FileType => kind.replace(/^edited_/, '') as FileType;
