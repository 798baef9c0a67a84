import { requireValue } from '../../../core/required.ts';
import type { UploadRow } from '../../../db/tables/uploads.ts';
import { getUploadLimits } from './limits.ts';
import { type UploadResponse, type HeaderValues, NO_STORE } from './problems.ts';
import { INTEROP_VERSION } from './request.ts';
import type { UploadResult } from './resumable.schemas.ts';

// The view of an upload that clients get: headers and body.

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

/** A relative reference, independent of the server's name behind a proxy. */
const getLocation = ({ id }: UploadRow): string => `/api/assets/uploads/${id}`;

/**
 * Formats Upload-Limit; max-age is the remaining lifetime in seconds. Before an upload is created, max-size is what a
 * client may announce.
 */
export function toLimitHeader(upload: UploadRow | undefined, now: Date): string {
  const { maxAnnouncedBytes, maxBytes, maxAgeMs } = getUploadLimits();
  const isAnnounced = !upload || (upload.length !== null && upload.length <= maxAnnouncedBytes);
  const size = isAnnounced ? maxAnnouncedBytes : maxBytes;
  const ms = upload ? upload.expiresAt.getTime() - now.getTime() : maxAgeMs;
  const age = Math.max(0, Math.floor(ms / 1000));
  return `max-size=${size}, max-append-size=${size}, max-age=${age}`;
}

const formatBoolean = (value: boolean): string => (value ? '?1' : '?0');

/** Returns whether the final response has been sent. */
export const isComplete = (upload: UploadRow): boolean => upload.finalStatus !== null;

/** Returns whether the final response is a refusal: no byte of the upload is kept. */
export const isRefused = ({ status, finalStatus }: UploadRow): boolean =>
  status === 'failed' && finalStatus !== null;

export const toStateHeaders = (upload: UploadRow, now: Date): HeaderValues => ({
  ...NO_STORE,
  'upload-complete': formatBoolean(isComplete(upload)),
  'upload-offset': String(upload.offset),
  'upload-limit': toLimitHeader(upload, now),
});

export const toLengthHeader = ({ length }: UploadRow): HeaderValues =>
  length === null ? {} : { 'upload-length': String(length) };

export const toLocationHeader = (upload: UploadRow): HeaderValues => ({
  location: getLocation(upload),
});

/** Headers of the 104 that tells a client where to resume after a broken connection. */
export const toResumptionHeaders = (upload: UploadRow, now: Date): HeaderValues => ({
  ...toLocationHeader(upload),
  'upload-limit': toLimitHeader(upload, now),
  'upload-draft-interop-version': INTEROP_VERSION,
});

export const toProgressHeaders = (offset: number): HeaderValues => ({
  'upload-offset': String(offset),
  'upload-draft-interop-version': INTEROP_VERSION,
});

/** Returns the response to the request that completed the upload, the same every time. */
export const toFinalResponse = (upload: UploadRow, now: Date): UploadResponse => ({
  status: requireValue(upload.finalStatus, 'status of a final response'),
  headers: { ...toStateHeaders(upload, now), ...toLocationHeader(upload) },
  body: upload.finalBody as object,
});

/** Returns the refusal for a request about the state. It does not say that the upload is complete, which means kept. */
export const toRefusal = (upload: UploadRow): UploadResponse => ({
  status: requireValue(upload.finalStatus, 'status of a refusal'),
  headers: NO_STORE,
  body: upload.finalBody as object,
});
