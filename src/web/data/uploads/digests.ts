import { createSHA1, createSHA256 } from 'hash-wasm';

/** SHA-1 as hex, by which the library knows its photos; SHA-256 as base64, by which bytes are checked. */
export type Digests = { sha1: string; sha256: string };

const PIECE = 4 * 1024 * 1024;
/** Up to here the browser's own is used where it exists: it is the fastest. */
const WHOLE = 64 * 1024 * 1024;

/** Returns the digests of a file; a large one is read in pieces, never whole. */
export async function computeDigests(file: Blob, whole = WHOLE): Promise<Digests> {
  const subtle = globalThis.crypto?.subtle as SubtleCrypto | undefined;
  if (subtle && file.size <= whole) {
    const bytes = await file.arrayBuffer();
    const [sha1, sha256] = await Promise.all([
      subtle.digest('SHA-1', bytes),
      subtle.digest('SHA-256', bytes),
    ]);
    return { sha1: toHex(new Uint8Array(sha1)), sha256: toBase64(new Uint8Array(sha256)) };
  }
  // The browser's own needs HTTPS and the whole file in memory: a home server is often plain HTTP, a video gigabytes.
  const [sha1, sha256] = await Promise.all([createSHA1(), createSHA256()]);
  for (let at = 0; at < file.size; at += PIECE) {
    const bytes = new Uint8Array(await file.slice(at, at + PIECE).arrayBuffer());
    sha1.update(bytes);
    sha256.update(bytes);
  }
  return { sha1: sha1.digest(), sha256: toBase64(sha256.digest('binary')) };
}

const toHex = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
