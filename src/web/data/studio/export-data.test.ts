import { expect, test } from 'bun:test';
import { show, startPageServer } from '../../../../test/support/page-server.ts';
import { keys } from '../query-keys.ts';
import type { StudioExport } from '../types.ts';
import { createExport, deleteExport, describeExport, isActive } from './export-data.ts';
import { toMusicTrack } from './music.ts';

const server = startPageServer();

const run = (changed: Partial<StudioExport>): StudioExport =>
  ({ state: 'ready', progress: 0, sizeInBytes: null, expiresAt: null, ...changed }) as StudioExport;

test('an export is polled for while it waits or is rendered', () => {
  const states = ['queued', 'rendering', 'ready', 'failed', 'cancelled'] as const;
  expect(states.filter((state) => isActive(run({ state })))).toEqual(['queued', 'rendering']);
});

test('its state is said in words; a percent is not reached before it is done', () => {
  expect(describeExport(run({ state: 'queued' }))).toBe('Waiting to start …');
  expect(describeExport(run({ state: 'rendering', progress: 0.999 }))).toBe('99 % done');
  expect(describeExport(run({ state: 'failed' }))).toBe('The export has failed.');
  expect(describeExport(run({ state: 'cancelled' }))).toBe('Canceled');
});

test('one that is ready says how large it is and how long it stays', () => {
  expect(describeExport(run({ sizeInBytes: 2_500_000 }))).toBe('2.5 MB · Saved to your library');
  expect(describeExport(run({ sizeInBytes: null }))).toBe('Saved to your library');
  const kept = run({ sizeInBytes: 0, expiresAt: '2024-07-03T10:00:00.000Z' });
  expect(describeExport(kept)).toMatch(/^0 B · available until .*2024/);
});

test('exports are read anew after one is ordered or deleted, and so are photos, where it may appear', async () => {
  const shown = await Promise.all(
    [[...keys.studio, 'exports', 'p'], keys.timeline, [...keys.studio, 'list']].map(show),
  );
  server.answer('POST /studio/projects/p/exports', () => run({ state: 'queued' }));
  server.answer('DELETE /studio/exports/e', () => undefined);
  await createExport('p', { quality: 'high' } as never);
  expect(shown.map(({ fetches }) => fetches)).toEqual([2, 2, 1]);
  await deleteExport('e');
  expect(shown.map(({ fetches }) => fetches)).toEqual([3, 3, 1]);
  expect(server.listBodies('POST /studio/projects/p/exports')).toEqual([{ quality: 'high' }]);
  for (const { hide } of shown) hide();
});

test('a field names music of the list, or none', () => {
  expect(['calm', 'gentle', 'bright', '', 'loud'].map(toMusicTrack)).toEqual([
    'calm',
    'gentle',
    'bright',
    null,
    null,
  ]);
});
