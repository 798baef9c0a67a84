import { expect, test } from 'bun:test';
import { ApiError } from '../../base/api.ts';
import type { Memory, MemoryExport } from '../types.ts';
import {
  computeProgress,
  describeExport,
  describeRefusal,
  describeSound,
  formatFilmDate,
  suggestOptions,
} from './export-data.ts';

const run = (values: Partial<MemoryExport>): MemoryExport => ({
  canSaveToLibrary: false,
  createdAt: '2026-01-01T00:00:00.000Z',
  error: null,
  expiresAt: null,
  fileName: null,
  finishedAt: null,
  format: null,
  id: 'e',
  isDownloadable: false,
  kind: 'archive',
  libraryAssetId: null,
  memoryId: 'm',
  music: null,
  processed: 0,
  sizeInBytes: null,
  skipped: 0,
  startedAt: null,
  status: 'running',
  total: 4,
  ...values,
});

test('the progress counts what was skipped, and is unknown before and after', () => {
  expect(computeProgress(run({ processed: 1, skipped: 1 }))).toBe(0.5);
  expect(computeProgress(run({ status: 'queued' }))).toBeUndefined();
  expect(computeProgress(run({ total: 0 }))).toBeUndefined();
  expect(computeProgress(run({ status: 'cancelling', processed: 2 }))).toBeUndefined();
});

test.each([
  [{ status: 'queued' }, 'Waiting to start …'],
  [{ processed: 2, skipped: 1 }, '3 of 4 pictures'],
  [{ processed: 3, skipped: 1 }, 'Finishing …'],
  [{ status: 'completed', sizeInBytes: 2_500_000, skipped: 1 }, '2.5 MB · 1 picture was missing'],
  [{ status: 'failed', error: 'No space' }, 'The export has failed.'],
] as const)('the export %o is described', (values, text) => {
  expect(describeExport(run(values))).toBe(text);
});

test('a refusal for want of space has words of the page, others those of the server', () => {
  const text = 'The server has too little free disk space for this export.';
  expect(describeRefusal(new ApiError(507, 'The export needs 400 MiB'))).toBe(text);
  expect(describeRefusal(new ApiError(400, 'Not found'))).toBe('Not found');
});

const toMemory = (...types: ('IMAGE' | 'VIDEO')[]) =>
  ({ assets: types.map((type) => ({ type })), memoryAt: '2019-11-21T00:00:00.000Z' }) as Memory;

test('music is suggested where nothing else would be heard', () => {
  expect(suggestOptions(toMemory('IMAGE', 'VIDEO'))).toEqual({ format: 'landscape', music: null });
  expect(suggestOptions(toMemory('IMAGE'))).toEqual({ format: 'landscape', music: 'calm' });
});

test('a film without sound says so before it is made', () => {
  const describe = (memory: Memory, music: 'calm' | null) =>
    describeSound(memory, { format: 'square', music });
  expect(describe(toMemory('IMAGE'), null)).toStartWith('The film is silent');
  expect(describe(toMemory('IMAGE'), 'calm')).toStartWith('Only the music is heard');
  expect(describe(toMemory('VIDEO'), null)).toBe('The videos are heard.');
  expect(describe(toMemory('VIDEO'), 'calm')).toStartWith('The music is quieter');
});

test('the date of a film is the day of its memory, in every zone', () => {
  expect(formatFilmDate(toMemory())).toMatch(/21/);
});
