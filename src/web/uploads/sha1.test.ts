import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { createSha1 } from './sha1.ts';

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
