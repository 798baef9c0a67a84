import type { DataPaths } from '../core/paths.ts';

/** Where the bytes of an original live. */
export const originalPath = (paths: DataPaths, sha256: Uint8Array | string): string => {
  const hex = typeof sha256 === 'string' ? sha256 : Buffer.from(sha256).toString('hex');
  return `${paths.originals}/${hex.slice(0, 2)}/${hex.slice(2, 4)}/${hex}`;
};
