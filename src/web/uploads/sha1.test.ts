import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { createSha1, sha1OfFile } from './sha1.ts';

const truth = (bytes: Uint8Array) => createHash('sha1').update(bytes).digest('hex');

test('agrees with the platform for any bytes in any pieces', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 8 }), (pieces) => {
      const hash = createSha1();
      for (const piece of pieces) hash.update(piece);
      expect(hash.hex()).toBe(truth(Buffer.concat(pieces)));
    }),
  );
});

test('every length around a block boundary', () => {
  for (let length = 0; length < 200; length++) {
    const bytes = new Uint8Array(length).fill(7);
    const hash = createSha1();
    hash.update(bytes);
    expect(hash.hex()).toBe(truth(bytes));
  }
});

test('a file larger than one piece, by our own code and by the browser', async () => {
  const bytes = new Uint8Array(9_000_001).map((_, i) => i * 31);
  expect(await sha1OfFile(new Blob([bytes]), 0)).toBe(truth(bytes));
  expect(await sha1OfFile(new Blob([bytes]))).toBe(truth(bytes));
});
