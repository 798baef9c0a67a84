import { createCipheriv } from 'node:crypto';

/** A file that is the same for the same number, in every process: 100 to 400 kB. */
export function createFile(n: number): Buffer {
  const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16, 7), Buffer.alloc(16, n % 251));
  const size = 100_000 + ((n * 7919) % 300_000);
  const head = Buffer.alloc(size);
  head.writeUInt32BE(n);
  return cipher.update(head);
}
