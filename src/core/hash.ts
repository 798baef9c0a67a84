export const sha256 = (data: string | Uint8Array): Uint8Array =>
  new Bun.CryptoHasher('sha256').update(data).digest();

/** Returns the SHA-256 in hex of a file, or a part of it, without holding it in memory. */
export async function computeSha256(content: Blob): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256');
  for await (const chunk of content.stream()) hash.update(chunk);
  return hash.digest('hex');
}

/**
 * A secret for a token or a key: 256 random bits as URL-safe text. Not with a dash first, which command
 * lines such as that of the Immich CLI take for an option.
 */
export function newSecret(): string {
  const secret = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
  return secret.startsWith('-') ? newSecret() : secret;
}

export const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
export const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
