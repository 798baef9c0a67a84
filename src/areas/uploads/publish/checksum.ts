import { badRequest } from '../../../core/errors.ts';

/** SHA-1 as clients write it: 40 hex digits, or base64. */
export const SHA1_PATTERN = '^(?:[0-9a-fA-F]{40}|[A-Za-z0-9+/]{27}=)$';
const SHA1 = new RegExp(SHA1_PATTERN);

/** SHA-1 in lower-case hex. The text must match SHA1_PATTERN. */
export const sha1Hex = (text: string): string =>
  text.length === 40 ? text.toLowerCase() : Buffer.from(text, 'base64').toString('hex');

/** What the client says its file has; undefined when it says nothing. Throws on nonsense. */
export function claimedSha1(headers: Headers): string | undefined {
  const text = headers.get('x-immich-checksum')?.trim();
  if (!text) return undefined;
  if (!SHA1.test(text)) throw badRequest('x-immich-checksum is no SHA-1 in hex or base64');
  return sha1Hex(text);
}
