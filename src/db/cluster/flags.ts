import { availableParallelism } from 'node:os';
import { readMemoryBytes } from '../../core/machine.ts';

const MIB = 1024 * 1024;
const clamp = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value));

export type FlagOptions = {
  readonly socketDir: string;
  readonly durability: 'full' | 'none';
  readonly memoryBytes?: number;
  readonly cores?: number;
  /** Size of the disk: on a small one, WAL is kept small too. */
  readonly diskBytes?: number;
};

/**
 * The settings of our own server, given on its command line so that they are those of this version
 * whenever the folder was made. Meant for a small machine that does other things too: a modest
 * buffer (the kernel's page cache holds the rest), few connections, no idle helpers.
 */
export function serverFlags(options: FlagOptions): Record<string, string | number> {
  const memory = (options.memoryBytes ?? readMemoryBytes()) / MIB;
  const cores = options.cores ?? availableParallelism();
  const wal = clamp(Math.round((options.diskBytes ?? Infinity) / MIB / 8), 48, 1024);
  return {
    listen_addresses: '',
    unix_socket_directories: options.socketDir,
    unix_socket_permissions: '0700',
    max_connections: options.durability === 'full' ? 60 : 300,
    superuser_reserved_connections: 3,

    shared_buffers: `${clamp(Math.round(memory / 32), 32, 128)}MB`,
    effective_cache_size: `${Math.max(128, Math.round(memory / 2))}MB`,
    work_mem: '16MB',
    maintenance_work_mem: '64MB',
    huge_pages: 'off',
    // Filled with zeros at the start: 3 MiB less than as it comes, and as fast for many small and for large writes.
    wal_buffers: '1MB',
    // Nothing is serializable.
    max_pred_locks_per_transaction: 10,
    // Compiling a plan costs more than our queries do.
    jit: 'off',
    random_page_cost: 1.1,
    max_worker_processes: 4,
    // A worker takes 10 to 40 ms to start, and its core from others: only long statements have one.
    parallel_setup_cost: 10_000,
    max_parallel_workers_per_gather: clamp(Math.floor(cores / 2), 0, 2),

    // No replicas: the shortest WAL that recovers from a crash. Backups are made by pg_dump.
    wal_level: 'minimal',
    max_wal_senders: 0,
    max_logical_replication_workers: 0,
    wal_compression: 'lz4',
    max_wal_size: `${wal}MB`,
    min_wal_size: `${clamp(Math.round(wal / 4), 32, 80)}MB`,
    checkpoint_timeout: '15min',

    // Index-only scans of the timeline need a fresh visibility map, also after pure inserts.
    autovacuum_vacuum_scale_factor: 0.05,
    autovacuum_vacuum_insert_scale_factor: 0.05,
    autovacuum_analyze_scale_factor: 0.02,

    // Our supervisor starts it again, with pauses: by itself it would do so at once and for ever on a full disk.
    restart_after_crash: 'off',

    logging_collector: 'off',
    log_line_prefix: '%b|%p|',
    // Neither rows nor statements: they are about people.
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    lc_messages: 'C',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...(options.durability === 'none' ? THROW_AWAY : {}),
  };
}

/** For tests: a crash may cost everything. */
const THROW_AWAY = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
