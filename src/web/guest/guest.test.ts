import { expect, test } from 'bun:test';
import { guestPathOf } from './guest.ts';

test('the address of a link is told from the pages of the library', () => {
  expect(guestPathOf('/share/abc-_9')).toEqual({ link: { key: 'abc-_9' }, base: '/share/abc-_9' });
  expect(guestPathOf('/s/our%20trip/photos/1')).toEqual({
    link: { slug: 'our trip' },
    base: '/s/our%20trip',
  });
  expect(guestPathOf('/settings')).toBeUndefined();
  expect(guestPathOf('/share/')).toBeUndefined();
  expect(guestPathOf('/s/100%')).toEqual({ link: { slug: '100%' }, base: '/s/100%' });
});
