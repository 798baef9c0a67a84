import { expect, test } from 'bun:test';
import { type Group, measureGroup } from './groups.ts';
import type { Row } from './measures.ts';

const TARGETS = ['base', 'now'].map((label) => ({ label, binary: '/nonexistent' }));

const toRow = (name: string): Row => ({ table: 'Reads', name, values: { blocks: 1 } });

/** A group of steps that record when they run. */
function createGroup(log: string[], failing?: string): Group {
  return {
    name: 'reads',
    rounds: 2,
    open: async (targets) =>
      targets.map(({ label }) => ({
        steps: ['tags', 'jobs'].map((name) => ({
          name,
          async run() {
            log.push(`${label} ${name}`);
            if (`${label} ${name}` === failing) throw new Error('refused\nat a line');
            return [toRow(name)];
          },
        })),
        close: async () => void log.push(`${label} closed`),
      })),
  };
}

test('measures each step of the targets in turns, then closes both', async () => {
  const log: string[] = [];
  const rows = await measureGroup(createGroup(log), TARGETS, { rounds: 2, onFailure() {} });
  const step = (name: string) => [`base ${name}`, `now ${name}`, `base ${name}`, `now ${name}`];
  expect(log).toEqual([...step('tags'), ...step('jobs'), 'base closed', 'now closed']);
  expect(rows).toEqual([
    [toRow('tags'), toRow('tags'), toRow('jobs'), toRow('jobs')],
    [toRow('tags'), toRow('tags'), toRow('jobs'), toRow('jobs')],
  ]);
});

test('goes on behind a step that fails, and notes it', async () => {
  const log: string[] = [];
  const failures: string[] = [];
  const rows = await measureGroup(createGroup(log, 'now tags'), TARGETS, {
    rounds: 1,
    onFailure: ({ message }) => failures.push(message),
  });
  const failed = { table: 'Failed', name: 'reads: tags', values: {}, note: 'refused' };
  expect(rows).toEqual([
    [toRow('tags'), toRow('jobs')],
    [failed, toRow('jobs')],
  ]);
  expect(failures).toEqual(['refused\nat a line']);
});

test('notes a group that cannot be prepared', async () => {
  const group = { ...createGroup([]), open: () => Promise.reject(new Error('no schema')) };
  const [rows] = await measureGroup(group, TARGETS, { rounds: 1, onFailure() {} });
  expect(rows).toEqual([
    { table: 'Failed', name: 'reads: preparation', values: {}, note: 'no schema' },
  ]);
});
