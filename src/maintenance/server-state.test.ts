import { afterAll, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createStateReporter,
  describeState,
  isWell,
  readServerState,
  type ServerState,
} from './server-state.ts';

const folder = mkdtempSync(join(tmpdir(), 'server-state-test-'));
const paths = { maintenance: join(folder, 'maintenance') };
const file = join(paths.maintenance, 'server.json');
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => rmSync(paths.maintenance, { recursive: true, force: true }));

const url = 'http://nas:2283';
const PROBLEM = { kind: 'diskFull', text: 'The disk is full:\n1 MB is free.' } as const;

const STATES: [Partial<ServerState>, string, boolean][] = [
  [{ mode: { kind: 'starting' } }, 'Starting', true],
  [
    { mode: { kind: 'starting', reason: 'It waits for a lock.' } },
    'Starting. It waits for a lock',
    true,
  ],
  [
    { mode: { kind: 'updating', step: 'migrations', progress: 40 } },
    'Updating the database to 2.0: applying migrations, 40 %',
    true,
  ],
  [
    { mode: { kind: 'maintenance', url, reason: 'an administrator has started it' } },
    `In maintenance mode at ${url}: an administrator has started it`,
    false,
  ],
  [{ mode: { kind: 'serving', url } }, `Serving at ${url}`, true],
  [
    { mode: { kind: 'serving', url }, problems: [PROBLEM] },
    `Serving at ${url}. The disk is full: 1 MB is free`,
    false,
  ],
  [{ mode: { kind: 'stopped' } }, 'Not running', true],
];

test.each(STATES)('%j is told in one line', (state, text, well) => {
  const whole: ServerState = { version: '2.0', mode: { kind: 'starting' }, problems: [], ...state };
  expect([describeState(whole), isWell(whole)]).toEqual([text, well]);
});

test('each change is published once, and read by others for as long as the process lives', () => {
  const told: string[] = [];
  const reporter = createStateReporter(paths, (text) => told.push(text));
  expect(readServerState(paths).mode.kind).toBe('stopped');
  reporter.setMode({ kind: 'serving', url });
  reporter.setMode({ kind: 'serving', url });
  reporter.setProblems([PROBLEM]);
  expect(told).toEqual([`Serving at ${url}`, `Serving at ${url}. The disk is full: 1 MB is free`]);
  expect(readServerState(paths)).toMatchObject({
    mode: { kind: 'serving', url },
    problems: [PROBLEM],
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);

  const recorded = readFileSync(file, 'utf8');
  const { owner } = JSON.parse(recorded);
  writeFileSync(file, recorded.replace(owner, owner.replace(/-\d+$/, '-1')));
  expect(readServerState(paths)).toMatchObject({ mode: { kind: 'stopped' }, problems: [] });
  writeFileSync(file, recorded);
  reporter.end();
  expect(readServerState(paths).mode.kind).toBe('stopped');
});

test('a change writes into the block that the file has', () => {
  const reporter = createStateReporter(paths, () => {});
  reporter.setMode({ kind: 'starting' });
  const before = statSync(file);
  reporter.setMode({ kind: 'maintenance', url, reason: '…'.repeat(9000) });
  reporter.setProblems(Array.from({ length: 50 }, () => ({ ...PROBLEM, text: '…'.repeat(2000) })));
  expect(readServerState(paths)).toMatchObject({ mode: { kind: 'maintenance', url } });
  const { ino, size } = statSync(file);
  expect([ino, size]).toEqual([before.ino, before.size]);
});
