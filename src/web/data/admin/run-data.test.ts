import { expect, test } from 'bun:test';
import { jobs } from '../../../job-registry.ts';
import type { JobRun } from '../types.ts';
import { getJobTitle } from '../../parts/admin/job-titles.ts';
import { computeProgress, describeProgress } from './run-data.ts';

const run = (over: Partial<JobRun>): JobRun => ({
  id: '1',
  name: 'thumbnailGeneration',
  queue: 'thumbnailGeneration',
  trigger: 'manual',
  status: 'running',
  force: false,
  total: 10,
  processed: 4,
  succeeded: 2,
  failed: 1,
  skipped: 1,
  requestedById: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  startedAt: null,
  finishedAt: null,
  error: null,
  ...over,
});

test('a run tells how many of its items are done, and what became of them', () => {
  expect(describeProgress(run({}))).toBe('4 of 10 items · 1 failed · 1 skipped');
  expect(describeProgress(run({ failed: 0, skipped: 0 }))).toBe('4 of 10 items');
  expect(computeProgress(run({}))).toBe(0.4);
});

test('a run whose items are being counted has no end yet, one without items is done', () => {
  expect(computeProgress(run({ total: null }))).toBeUndefined();
  expect(describeProgress(run({ total: null, failed: 0, skipped: 0 }))).toBe('4 done, counting …');
  expect(computeProgress(run({ total: 0, processed: 0 }))).toBe(1);
});

test('a job is called by words, of its queue where it has none of its own', () => {
  expect(getJobTitle('thumbnailGeneration', 'thumbnailGeneration')).toBe('Previews');
  expect(getJobTitle('memory-create', 'backgroundTask')).toBe('Create memories');
  expect(getJobTitle('physicalDeduplication.purge')).toBe('Delete removed copies');
  expect(getJobTitle('assets.foldCounts', 'backgroundTask')).toBe('Housekeeping');
  const unnamed = [...jobs].filter(({ name, queue }) => getJobTitle(name, queue) === name);
  expect(unnamed).toEqual([]);
});
