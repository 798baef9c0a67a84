export const sha256 = (data: string | Uint8Array): Uint8Array =>
  new Bun.CryptoHasher('sha256').update(data).digest();

/** A secret for a token or a key: 256 random bits as URL-safe text. */
export const newSecret = (): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');

export const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
export const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
