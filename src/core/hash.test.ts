import { expect, test } from 'bun:test';
import { newSecret } from './hash.ts';

test('a secret is 256 bits of URL-safe text that no command line takes for an option', () => {
  for (let i = 0; i < 2000; i++) expect(newSecret()).toMatch(/^\w[\w-]{42}$/);
});
