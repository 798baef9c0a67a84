// The headers of resumable uploads (draft-ietf-httpbis-resumable-upload), for the page and the service worker.

export const VERSION = { 'upload-draft-interop-version': '9' };
/** The largest Upload-Length, in bytes. The server learns the length of a larger file from its last part. */
const MAX_ANNOUNCED_BYTES = 2 ** 31;

type Described = {
  readonly file: Pick<File, 'name' | 'size' | 'lastModified'>;
  readonly sha256: string;
  readonly mediaType: string;
  readonly isHalf?: boolean;
};

export const toUploadPath = (id: string): string => `/assets/uploads/${id}`;

/** Returns the id of a created upload from its Location. */
export const parseUploadId = (location: string | null): string | undefined =>
  /[\da-f-]{36}$/.exec(location ?? '')?.[0];

export const toCreationHeaders = ({ file, sha256, mediaType, isHalf }: Described) => ({
  ...VERSION,
  'content-type': mediaType,
  'upload-complete': '?0',
  ...(file.size <= MAX_ANNOUNCED_BYTES && { 'upload-length': String(file.size) }),
  'repr-digest': `sha-256=:${sha256}:`,
  'asset-metadata': toUploadMetadata(file, isHalf),
});

/** Returns the headers of the rest of a file, from a byte to its end. */
export const toRestHeaders = (offset: number) => ({
  ...VERSION,
  'content-type': 'application/partial-upload',
  'upload-offset': String(offset),
  'upload-complete': '?1',
});

/** Base64url without padding, of JSON. */
function toUploadMetadata(
  { name, lastModified }: Pick<File, 'name' | 'lastModified'>,
  isHalf = false,
): string {
  const time = new Date(lastModified).toISOString();
  const text = JSON.stringify({
    filename: name.replaceAll(/[/\\\0]/g, '_'),
    fileCreatedAt: time,
    fileModifiedAt: time,
    ...(isHalf && { publication: 'live-photo' }),
  });
  // Not by what the worker uses for the same: its chunk must not lead back to this one.
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
