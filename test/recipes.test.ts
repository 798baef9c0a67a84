import { expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ALBUM_COLOR, copyWith } from './support/recipe.ts';

// The recipes of appliance/docs/development.md are followed here, by edits of a copy of the sources.

// Transactions of other tests in the same cluster hold back what phones are sent.
setDefaultTimeout(300_000);

test('a field that is added to albums by the recipe is written, read, listed and sent to phones', async () => {
  const folder = copyWith(ALBUM_COLOR);
  try {
    const child = Bun.spawn([process.execPath, join(folder, 'test/fixtures/album-color.ts')], {
      cwd: folder,
      stderr: 'pipe',
    });
    const [text, errors] = [
      await new Response(child.stdout).text(),
      await new Response(child.stderr).text(),
    ];
    expect([errors, await child.exited]).toEqual(['', 0]);
    expect(JSON.parse(text)).toEqual({
      made: '#112233',
      patched: '#445566',
      read: '#445566',
      listed: '#445566',
      synced: [
        ['AlbumV1', '#445566'],
        ['AlbumV2', '#445566'],
      ],
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the recipe names each file that is edited, or the folder of a new one', () => {
  const text = readFileSync(join(import.meta.dir, '../appliance/docs/development.md'), 'utf8');
  const recipe = /^## Recipe: a field of an album\n(.*?)^## /ms.exec(text)![1]!;
  const files = ALBUM_COLOR.map(({ file, after }) => (after ? file : `${dirname(file)}/`));
  expect([...new Set(files)].filter((file) => !recipe.includes(`\`${file}\``))).toEqual([]);
});

test('a recipe whose anchor is gone fails with its name', () => {
  const step = { file: 'src/app.ts', after: 'there is no such text', insert: '' };
  expect(() => copyWith([step])).toThrow(
    'src/app.ts has "there is no such text" 0 times, not once',
  );
});
