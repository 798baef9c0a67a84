import { badRequest } from '../../../core/errors.ts';

/** SHA-1 as 40 hex digits or in base64. */
export const SHA1_PATTERN = '^(?:[0-9a-fA-F]{40}|[A-Za-z0-9+/]{27}=)$';
const SHA1 = new RegExp(SHA1_PATTERN);

/** Returns the SHA-1 in lower-case hex. `text` must match SHA1_PATTERN. */
export const toSha1Hex = (text: string): string =>
  text.length === 40 ? text.toLowerCase() : Buffer.from(text, 'base64').toString('hex');

/** Returns the SHA-1 of the `x-immich-checksum` header in hex. Throws 400 if it is malformed. */
export function parseChecksumHeader(headers: Headers): string | undefined {
  const text = headers.get('x-immich-checksum')?.trim();
  if (!text) return undefined;
  if (!SHA1.test(text)) throw badRequest('x-immich-checksum is no SHA-1 in hex or base64');
  return toSha1Hex(text);
}
