import { expect, test } from 'bun:test';
import { parseGuestPath } from './guest-path.ts';

test('the address of a link is told from the pages of the library', () => {
  expect(parseGuestPath('/share/abc-_9')).toEqual({
    link: { key: 'abc-_9' },
    base: '/share/abc-_9',
  });
  expect(parseGuestPath('/s/our%20trip/photos/1')).toEqual({
    link: { slug: 'our trip' },
    base: '/s/our%20trip',
  });
  expect(parseGuestPath('/settings')).toBeUndefined();
  expect(parseGuestPath('/share/')).toBeUndefined();
  expect(parseGuestPath('/s/100%')).toEqual({ link: { slug: '100%' }, base: '/s/100%' });
});
