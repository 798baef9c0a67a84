import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { computeDigests } from './digests.ts';

test('a file larger than one piece, in pieces and by the browser', async () => {
  const bytes = new Uint8Array(9_000_001).map((_, i) => i * 31);
  const truth = {
    sha1: createHash('sha1').update(bytes).digest('hex'),
    sha256: createHash('sha256').update(bytes).digest('base64'),
  };
  expect(await computeDigests(new Blob([bytes]), 0)).toEqual(truth);
  expect(await computeDigests(new Blob([bytes]))).toEqual(truth);
});
