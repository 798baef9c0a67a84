import { expect, test } from 'bun:test';
import { toKeyName } from './keys.ts';

const press = (
  key: string,
  held: Partial<Record<'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey', true>> = {},
) => toKeyName({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...held });

test('a key is named with what is held, and Command is Ctrl', () => {
  expect(press('ArrowLeft', { shiftKey: true })).toBe('Shift+ArrowLeft');
  expect(press('a', { ctrlKey: true })).toBe('Ctrl+a');
  expect(press('a', { metaKey: true })).toBe('Ctrl+a');
  expect(press('Delete')).toBe('Delete');
  expect(press(' ')).toBe('Space');
});

test('a character is itself on every keyboard, with or without Shift or AltGr', () => {
  expect(press('?', { shiftKey: true })).toBe('?');
  expect(press('+', { shiftKey: true })).toBe('+');
  expect(press('+')).toBe('+');
  expect(press('D', { shiftKey: true })).toBe('d');
  expect(press('@', { altKey: true })).toBe('@');
});

test('a key that is only held is none', () => {
  for (const key of ['Shift', 'Control', 'Alt', 'Meta', 'AltGraph']) {
    expect(press(key)).toBeUndefined();
  }
});
