import { formatBytes } from '../core/byte-format.ts';
import type { Profile } from '../core/machine.ts';
import type { ServerState } from '../maintenance/server-state.ts';
import type { QueueStatistics } from '../jobs/statistics.ts';
import { formatCount, formatDuration, toOneLine } from './format.ts';
import type { ActiveRun, DatabaseFacts, FailedJob } from './status.store.ts';

export type Status = {
  readonly version: string;
  /** When it was read, in ms since 1970. */
  readonly at: number;
  readonly state: ServerState;
  /** Memory in bytes. */
  readonly machine: { readonly profile: Profile; readonly memory: number; readonly cores: number };
  /** Whether photos and videos wait for a media host that does not answer. */
  readonly isMediaHostAway: boolean;
  /** SHA-256 of the certificate; null: plain HTTP. */
  readonly certificate: string | null;
  readonly database: DatabaseFacts;
  /** In bytes; undefined: there is no data folder here. */
  readonly disk: { readonly size: number; readonly available: number } | undefined;
  readonly queues: readonly QueueStatistics[];
  readonly runs: readonly ActiveRun[];
  readonly failures: readonly FailedJob[];
};

/** Returns the lines of a status, with the rates since an earlier one. */
export const formatStatus = (status: Status, before?: Status): string[] =>
  [
    formatServer(status),
    formatQueues(status, before),
    formatSection('Runs', status.runs.map(formatRun)),
    formatSection('Last failed jobs', status.failures.map(formatFailure)),
  ]
    .filter((lines) => lines.length > 0)
    .flatMap((lines, at) => (at === 0 ? lines : ['', ...lines]));

function formatServer(status: Status): string[] {
  const { version, at, state, machine, certificate, database, disk, isMediaHostAway } = status;
  const server =
    database.servedSince === null
      ? 'no server is running'
      : `running for ${formatDuration((at - database.servedSince) / 1000)}`;
  const space = disk
    ? `, disk: ${formatBytes(disk.available)} of ${formatBytes(disk.size)} free`
    : '';
  const { profile, memory, cores } = machine;
  return [
    `Safelight ${version}, ${server}`,
    ...state.problems.map(({ text }) => toOneLine(text)),
    `machine: ${profile} (${formatBytes(memory)} of memory, ${cores} cores)`,
    ...(isMediaHostAway ? ['the media host does not answer: photos and videos wait'] : []),
    ...(certificate === null ? [] : [`certificate: SHA-256 ${certificate}`]),
    `database: ${formatBytes(database.bytes)}${space}`,
  ];
}

const isActive = (queue: QueueStatistics): boolean =>
  queue.isPaused || queue.waiting + queue.delayed + queue.running + queue.failed > 0;

function formatQueues({ at, queues }: Status, before: Status | undefined): string[] {
  const rates = new Map<string, number>();
  for (const queue of queues) {
    const old = before?.queues.find(({ name }) => name === queue.name);
    if (!before || !old) continue;
    rates.set(queue.name, (countEnded(queue) - countEnded(old)) / ((at - before.at) / 1000));
  }
  const shown = queues.filter((queue) => isActive(queue) || (rates.get(queue.name) ?? 0) > 0);
  if (shown.length === 0) return ['All queues are empty'];
  const heads = [
    'waiting',
    'delayed',
    'running',
    'failed',
    ...(before ? ['jobs/s'] : []),
    'oldest',
  ];
  return [
    formatRow('Queues', heads),
    ...shown.map(({ name, isPaused, waiting, delayed, running, failed, oldestSeconds }) => {
      const rate = rates.get(name);
      const cells = [
        ...[waiting, delayed, running, failed].map(formatCount),
        ...(rate === undefined ? [] : [rate.toFixed(1)]),
        oldestSeconds === null ? '' : formatDuration(oldestSeconds),
      ];
      return `${formatRow(name, cells)}${isPaused ? '  paused' : ''}`.trimEnd();
    }),
  ];
}

const countEnded = ({
  succeededTotal,
  failedTotal,
}: Pick<QueueStatistics, 'succeededTotal' | 'failedTotal'>) => succeededTotal + failedTotal;

const formatRow = (name: string, cells: readonly string[]): string =>
  `${name.padEnd(26)}${cells.map((cell) => cell.padStart(11)).join('')}`;

const formatSection = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];

function formatRun({ name, processed, total }: ActiveRun): string {
  const done = formatCount(processed);
  if (total === null) return `${name}: ${done} so far`;
  const share = total === 0 ? 0 : Math.floor((100 * processed) / total);
  return `${name}: ${done} of ${formatCount(total)} (${share} %)`;
}

const formatFailure = ({ name, error, failedAt }: FailedJob): string =>
  `${new Date(failedAt).toISOString().slice(0, 19)}Z  ${name}: ${toOneLine(error ?? 'unknown')}`;
