import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeFileReason, FILE_REASONS } from './file-reasons.ts';

const SERVER = join(import.meta.dir, '../../..');
const read = (file: string): string => readFileSync(join(SERVER, file), 'utf8');

test('each reason that has a text is one that the server gives', () => {
  const sources = readdirSync(SERVER, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.test\.ts$|^web\//.test(file))
    .map(read)
    .join('\n');
  const unknown = [...FILE_REASONS.keys()].filter((reason) => !sources.includes(`'${reason}'`));
  expect(unknown).toEqual([]);
});

test('each reason that unpacking or the disk gives has a text', () => {
  const given = [
    ...read('areas/move-ins/archives/unpack.ts').matchAll(
      /(?:: |return )'((?:It|Its|The|Entr)\w* .+)'/g,
    ),
    ...read('areas/imports/run.ts').matchAll(/ E[A-Z]+: '(.+)'/g),
  ].map(([, reason]) => reason!);
  expect(given.length).toBeGreaterThan(20);
  expect(given.filter((reason) => !FILE_REASONS.has(reason))).toEqual([]);
});

test('words of programs follow a sentence', () => {
  expect(describeFileReason('It is encrypted')).toBe('It is encrypted.');
  expect(describeFileReason('The file is empty')).toBe('The file is empty.');
  expect(describeFileReason('Unsupported file type a.exe')).toBe(
    'This kind of file is not supported.',
  );
  expect(describeFileReason('moov atom not found')).toBe(
    'It could not be imported: moov atom not found',
  );
  expect(describeFileReason('toString')).toBe('It could not be imported: toString');
});
