import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { createSha256 } from './sha256.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const truth = (bytes: Uint8Array): string =>
  new Bun.CryptoHasher('sha256').update(bytes).digest('hex');

test('agrees with another implementation, however the bytes are cut', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 1000 }),
      fc.array(fc.integer({ min: 1, max: 130 }), { minLength: 1, maxLength: 5 }),
      (bytes, cuts) => {
        const hash = createSha256();
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = cuts[turn % cuts.length]!;
          hash.update(bytes.subarray(at, at + size));
          at += size;
        }
        expect(hex(hash.digest())).toBe(truth(bytes));
      },
    ),
  );
});

test('the empty message and one of more than a block have their known digests', () => {
  expect(hex(createSha256().digest())).toBe(
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  );
  const hash = createSha256();
  hash.update(new TextEncoder().encode('a'.repeat(1_000_000)));
  expect(hex(hash.digest())).toBe(
    'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0',
  );
});
