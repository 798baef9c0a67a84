import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KINDS, listChanges } from './changes.ts';
import { drawChanges } from './draw.ts';

const ROOT = join(import.meta.dir, '../..');

test('a seed draws the same changes of every kind each time, and the sources parse with each', () => {
  const changes = drawChanges(ROOT, 1, 6);
  expect(drawChanges(ROOT, 1, 6)).toEqual(changes);
  expect(new Set(changes.map(({ kind }) => kind))).toEqual(new Set(KINDS));
  for (const { file, start, end, before, after } of changes) {
    const text = readFileSync(join(ROOT, file), 'utf8');
    expect(text.slice(start, end)).toBe(before);
    expect(() => listChanges(file, text.slice(0, start) + after + text.slice(end))).not.toThrow();
  }
});

test('conditions, statements that are calls and constants change, and texts, logs and loops do not', () => {
  const source = `
    for (let i = 0; i < 9; i++) log.info('sent', { retry: true });
    if (mode === 'fast') await send(\`\${[].filter((it) => it > 1)}\`);
    const title: 'a' | 'b' = isOpen ? 'Open' : 'Closed';
    await sql\`delete from x\`;`;
  expect(
    listChanges('a.ts', source).map(({ kind, before, after }) => [kind, before, after]),
  ).toEqual([
    ['constant', '0', '1'],
    ['constant', '9', '18'],
    ['condition', `mode === 'fast'`, `!(mode === 'fast')`],
    ['constant', `'fast'`, '"fastx"'],
    ['call', 'await send(`${[].filter((it) => it > 1)}`);', ';'],
    ['condition', 'it > 1', '!(it > 1)'],
    ['constant', '1', '2'],
    ['condition', 'isOpen', '!(isOpen)'],
    ['call', 'await sql`delete from x`;', ';'],
  ]);
});
