import type { UploadRow } from '../../../db/tables/uploads.ts';
import { uploadLimits } from '../limits.ts';
import { type Answer, type HeaderValues, NO_STORE } from './problems.ts';
import { INTEROP_VERSION } from './request.ts';
import type { UploadResult } from './resumable.schemas.ts';

// What the client is shown of an upload.

export const toResult = (upload: UploadRow): UploadResult => ({
  id: upload.id,
  status: upload.status,
  publication: upload.publication,
  offset: upload.offset,
  length: upload.length,
  assetId: upload.assetId,
  error: upload.error,
  expiresAt: upload.expiresAt.toISOString(),
});

/** A reference that survives whatever name a proxy gives to this server. */
const locationOf = ({ id }: UploadRow): string => `/api/assets/uploads/${id}`;

/** What remains of its life is said in seconds. */
export function limitsOf(upload: UploadRow | undefined, now: Date): string {
  const { maxBytes, maxAgeMs } = uploadLimits();
  const ms = upload ? upload.expiresAt.getTime() - now.getTime() : maxAgeMs;
  const age = Math.max(0, Math.floor(ms / 1000));
  return `max-size=${maxBytes}, max-append-size=${maxBytes}, max-age=${age}`;
}

const flag = (value: boolean): string => (value ? '?1' : '?0');

/** The final answer has been given. */
export const isComplete = (upload: UploadRow): boolean => upload.finalStatus !== null;

/** Where the client stands. */
export const stateOf = (upload: UploadRow, now: Date): HeaderValues => ({
  ...NO_STORE,
  'upload-complete': flag(isComplete(upload)),
  'upload-offset': String(upload.offset),
  'upload-limit': limitsOf(upload, now),
});

export const lengthOf = ({ length }: UploadRow): HeaderValues =>
  length === null ? {} : { 'upload-length': String(length) };

export const locationHeader = (upload: UploadRow): HeaderValues => ({
  location: locationOf(upload),
});

/** The 104 that tells a client where to continue, should this connection break. */
export const supportHeaders = (upload: UploadRow, now: Date): HeaderValues => ({
  ...locationHeader(upload),
  'upload-limit': limitsOf(upload, now),
  'upload-draft-interop-version': INTEROP_VERSION,
});

export const progressHeaders = (offset: number): HeaderValues => ({
  'upload-offset': String(offset),
  'upload-draft-interop-version': INTEROP_VERSION,
});

/** The answer to the request that completed the upload, the same every time. */
export const finalAnswer = (upload: UploadRow, now: Date): Answer => ({
  status: upload.finalStatus!,
  headers: { ...stateOf(upload, now), ...locationHeader(upload) },
  body: upload.finalBody as object,
});
