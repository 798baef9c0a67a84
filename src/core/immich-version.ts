/** The Immich release whose clients are supported. They compare it with their own version. */
export const IMMICH_VERSION = { major: 3, minor: 2, patch: 2, prerelease: null };
export const IMMICH_VERSION_TEXT = `${IMMICH_VERSION.major}.${IMMICH_VERSION.minor}.${IMMICH_VERSION.patch}`;
