import { describe, expect, test } from 'bun:test';
import { findFont, keepDrawable, withoutEmoji } from './fonts.ts';

const run = (...command: string[]) => Bun.spawnSync(command).stdout.toString();
const hasChinese = run('fc-list', ':charset=6771 4eac', 'file') !== '';
const canShape = run('ffmpeg', '-version').includes('--enable-libharfbuzz');

describe('findFont', () => {
  test.each(['Straße', 'Łódź, 100%', 'Αθήνα', 'Москва', 'السلام عليكم'])(
    'finds a font with outlines for %s',
    async (text) => expect(await findFont(text)).toMatch(/^\/usr\/.*\.(ttf|otf|ttc)$/),
  );

  test('finds none for letters that no font has', async () => {
    expect(await findFont('\u{10FFFD}')).toBeUndefined();
    expect(await findFont('A \u{10FFFD}')).toBeUndefined();
    expect((await findFont('東京')) !== undefined).toBe(hasChinese);
  });

  test('finds none for a script that ffmpeg cannot shape', async () => {
    if (!canShape) expect(await findFont('नमस्ते')).toBeUndefined();
  });
});

test('keepDrawable leaves out the words that no font has', async () => {
  expect(await keepDrawable('A day at the sea')).toBe('A day at the sea');
  expect(await keepDrawable('Private \u{10FFFD} use')).toBe('Private use');
  expect(await keepDrawable('\u{10FFFD}')).toBe('');
  expect(await keepDrawable('')).toBe('');
});

test('withoutEmoji leaves digits and punctuation', () => {
  expect(withoutEmoji('Sea 🏖️ 2024 #1 *')).toBe('Sea 2024 #1 *');
});
