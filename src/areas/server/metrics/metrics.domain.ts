import { statfs } from 'node:fs/promises';
import type { Deps } from '../../../core/context.ts';
import type { MetricFamily, Sample } from '../../../core/openmetrics.ts';
import { measureMemory } from '../../../core/process-memory.ts';
import { VERSION } from '../../../core/version.ts';
import { listKindUsages } from '../../../read-cache/memory.ts';
import { measureQueues, type QueueStatistics } from '../../../jobs/statistics.ts';
import { listPools } from '../store.ts';

/** Returns the state of this process, its disk, and the database with the queues of all machines. */
export async function collectMetrics(deps: Deps, liveClients: number): Promise<MetricFamily[]> {
  const { db, sql, log, paths } = deps;
  const readDatabase = async () => {
    try {
      return { pools: await listPools(db), queues: await measureQueues(db) };
    } catch (error) {
      log.warn('reading metrics from the database failed', { error });
      return undefined;
    }
  };
  const [database, process, disk] = await Promise.all([
    readDatabase(),
    describeProcess(),
    describeDisk(paths.root),
  ]);
  const always = [
    ...process,
    ...disk,
    ...describeReadCache(deps),
    gauge('safelight_live_clients', 'Clients connected for live events.', [{ value: liveClients }]),
    gauge('safelight_database_up', 'Whether the database can be reached.', [
      { value: database ? 1 : 0 },
    ]),
  ];
  if (!database) return always;
  return [
    ...always,
    gauge('safelight_database_pool_size', 'Most connections of a pool.', [
      { labels: { pool: 'server' }, value: sql.options.max },
    ]),
    gauge(
      'safelight_database_connections',
      'Connections of all processes.',
      database.pools.flatMap(({ pool, busy, idle }) => [
        { labels: { pool, state: 'busy' }, value: busy },
        { labels: { pool, state: 'idle' }, value: idle },
      ]),
    ),
    ...describeQueues(database.queues),
  ];
}

const gauge = (name: string, help: string, samples: readonly Sample[]): MetricFamily => ({
  name,
  type: 'gauge',
  help,
  samples,
  ...(name.endsWith('_bytes') && { unit: 'bytes' }),
  ...(name.endsWith('_seconds') && { unit: 'seconds' }),
});

function describeReadCache(deps: Deps): MetricFamily[] {
  const usages = listKindUsages(deps);
  const count = (name: string, help: string, count: 'lookups' | 'writes'): MetricFamily => ({
    name,
    type: 'counter',
    help,
    samples: usages.map(({ kind, [count]: value }) => ({
      suffix: '_total',
      labels: { kind },
      value,
    })),
  });
  return [
    gauge(
      'safelight_read_cache_bytes',
      'What the server remembers of its database.',
      usages.map(({ kind, bytes }) => ({ labels: { kind }, value: bytes })),
    ),
    count('safelight_read_cache_lookups', 'Questions to what is remembered.', 'lookups'),
    count('safelight_read_cache_writes', 'Values that were read anew and remembered.', 'writes'),
  ];
}

async function describeProcess(): Promise<MetricFamily[]> {
  const { user, system } = process.cpuUsage();
  const memory = await measureMemory(process.pid);
  return [
    {
      name: 'safelight_build',
      type: 'info',
      help: 'Version of the program.',
      samples: [{ suffix: '_info', labels: { version: VERSION }, value: 1 }],
    },
    gauge('process_start_time_seconds', 'Start of the server, in seconds since 1970.', [
      { value: performance.timeOrigin / 1000 },
    ]),
    {
      name: 'process_cpu_seconds',
      type: 'counter',
      unit: 'seconds',
      help: 'Processor time of the server and its threads.',
      samples: [{ suffix: '_total', value: (user + system) / 1e6 }],
    },
    gauge('process_resident_memory_bytes', 'Resident memory of the server and its threads.', [
      { value: process.memoryUsage.rss() },
    ]),
    gauge(
      'safelight_memory_bytes',
      'Proportional set size of the server and the programs that it runs.',
      [...memory].map(([program, value]) => ({ labels: { program }, value })),
    ),
  ];
}

async function describeDisk(folder: string): Promise<MetricFamily[]> {
  const disk = await statfs(folder).catch(() => undefined);
  if (!disk) return [];
  const { bsize, blocks, bavail } = disk;
  return [
    gauge('safelight_disk_size_bytes', 'Size of the disk that holds the data folder.', [
      { value: bsize * blocks },
    ]),
    gauge('safelight_disk_available_bytes', 'Free space on that disk.', [
      { value: bsize * bavail },
    ]),
  ];
}

const describeQueues = (queues: readonly QueueStatistics[]): MetricFamily[] => [
  gauge(
    'safelight_queue_jobs',
    'Jobs in the queues of all machines.',
    queues.flatMap(({ name: queue, ...jobs }) =>
      (['waiting', 'delayed', 'running', 'failed'] as const).map((state) => ({
        labels: { queue, state },
        value: jobs[state],
      })),
    ),
  ),
  gauge(
    'safelight_queue_oldest_waiting_seconds',
    'Time since the oldest waiting job was due; 0 where none waits.',
    queues.map(({ name: queue, oldestSeconds }) => ({
      labels: { queue },
      value: oldestSeconds ?? 0,
    })),
  ),
  gauge(
    'safelight_queue_paused',
    'Whether the queue is paused.',
    queues.map(({ name: queue, isPaused }) => ({ labels: { queue }, value: isPaused ? 1 : 0 })),
  ),
  {
    name: 'safelight_jobs',
    type: 'counter',
    help: 'Jobs of all machines that ended well, or used up their attempts.',
    samples: queues.flatMap(({ name: queue, succeededTotal, failedTotal }) => [
      { suffix: '_total', labels: { queue, result: 'succeeded' }, value: succeededTotal },
      { suffix: '_total', labels: { queue, result: 'failed' }, value: failedTotal },
    ]),
  },
];
