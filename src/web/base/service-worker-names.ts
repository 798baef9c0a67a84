// Names that the page and its service worker share.

/** The cache of answers and pictures of the account, for when the server cannot be reached. */
export const OFFLINE_CACHE = 'safelight-offline';
/** A header of answers out of that cache. */
export const CACHED_HEADER = 'x-safelight-cached';
/** The cache of files that other apps have shared with this one, until the person has decided about them. */
export const SHARED_FILES = 'safelight-shared-files';
/** The cache of files that are still to be uploaded (`data/uploads/kept-files.ts`). */
export const KEPT_UPLOADS = 'safelight-kept-uploads';
/** The first part of the tags of background syncs that upload them. */
export const UPLOADS_TAG = 'safelight-uploads';
/** Where an app sends them (`share_target` of the manifest). Only the worker answers there. */
export const SHARE_TARGET = '/share-target';
export const SHARED_PARAMETER = 'shared';

/** The manifest of the installed page, by the background that is shown while it starts. */
export const MANIFESTS = {
  dark: '/manifest.webmanifest',
  light: '/manifest-light.webmanifest',
} as const;

/** By this request the page finds out whether the server answers. */
export const PING = '/api/server/ping';
/** A proxy answers for a server that does not run. */
export const UNREACHABLE_STATUS: readonly number[] = [502, 504];

export const ME = '/api/users/me';
/** The same for everybody. */
export const CONFIG = '/api/server/config';
/** The page starts with the first, and the timeline, albums and the viewer ask for the others. */
const READS =
  /^\/api\/(?:server\/config|users\/me(?:\/preferences|\/pins)?|timeline\/buckets?|albums(?:\/[\w-]+)?|assets\/[\w-]{36})$/;
const PICTURES = /^\/api\/assets\/[\w-]{36}\/thumbnail$/;

export const isCachedRead = (path: string): boolean => READS.test(path);
export const isCachedPicture = (path: string): boolean => PICTURES.test(path);
