import { expect, test } from 'bun:test';
import { isReachable, toServerAddress } from './address.ts';

test.each([
  ['https://photos.example.com/', 'https://photos.example.com'],
  [' 192.168.1.2:2283 ', 'http://192.168.1.2:2283'],
  ['HTTP://NAS.local:2283', 'http://nas.local:2283'],
  ['https://example.com/photos/', 'https://example.com/photos'],
  ['https://user:secret@example.com', undefined],
  ['http://', undefined],
  ['two words', undefined],
  ['', undefined],
])('the address of %p is %p', (text, address) => {
  expect(toServerAddress(text)).toBe(address);
});

test.each([
  ['http://192.168.1.2:2283', true],
  ['http://safelight.local', true],
  ['http://localhost:2283', false],
  ['http://127.0.0.1:2283', false],
  ['http://[::1]:2283', false],
  ['http://0.0.0.0:2283', false],
])('a phone reaches %s: %p', (address, isReached) => {
  expect(isReachable(address)).toBe(isReached);
});
