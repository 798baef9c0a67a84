import { LRUCache } from 'lru-cache';
import type { Deps } from '../core/context.ts';
import { type Epoch, getEpoch } from '../db/epoch.ts';

// The memory of a process for its database between requests: one for all kinds, of which the least recently
// used goes first. README.md lists the kinds, and what makes an entry of each stale. Most are known by ids
// of transactions: what was remembered before a failover is not found after it.

/** `sql` is the pool, whose memory is used: that of its present epoch, or of the one in which a request began. */
export type MemoryOwner = Pick<Deps, 'sql' | 'settings'> & { readonly epoch?: Epoch };

export type Kind<Value> = {
  readonly name: string;
  /** Returns the value that was kept last under this key. Whether it is stale is for the caller to know. */
  find(owner: MemoryOwner, key: string): Value | undefined;
  keep(owner: MemoryOwner, key: string, value: Value): void;
};

export type KindUsage = {
  readonly kind: string;
  readonly bytes: number;
  readonly lookups: number;
  /** Values that were kept, because there was none or a stale one: lookups without one were answered from here. */
  readonly writes: number;
};

/** The bytes of its key and of what holds it. */
const ENTRY_BYTES = 300;
/** The largest part of the memory that one entry takes: larger ones are not kept. */
const LARGEST_ENTRY = 1 / 6;

/** Reading the clock for each entry would cost as much as finding it. */
const TTL_RESOLUTION_MS = 60_000;

type Entry = { readonly usage: Usage; readonly value: unknown; readonly bytes: number };
type Usage = { bytes: number; lookups: number; writes: number };
type Memory = {
  readonly entries: LRUCache<string, Entry>;
  readonly usages: Map<string, Usage>;
};

const kinds = new Set<string>();

/** Names of all kinds that the loaded modules define. */
export const listKinds = (): readonly string[] => [...kinds].sort();

const memories = new WeakMap<Epoch, Memory>();

function getMemory({ sql, settings, epoch = getEpoch(sql) }: MemoryOwner): Memory {
  let memory = memories.get(epoch);
  if (!memory) memories.set(epoch, (memory = createMemory(settings.readCacheBytes)));
  return memory;
}

const createMemory = (maxSize: number): Memory => ({
  entries: new LRUCache<string, Entry>({
    maxSize,
    maxEntrySize: Math.ceil(maxSize * LARGEST_ENTRY),
    ttlResolution: TTL_RESOLUTION_MS,
    sizeCalculation: ({ bytes }) => bytes,
    dispose: ({ usage, bytes }) => {
      usage.bytes -= bytes;
    },
  }),
  usages: new Map(),
});

/**
 * Defines a kind of what is remembered. The name is unique. `countBytes` returns about how much memory a value takes;
 * after `maxAgeMs` it is forgotten in any case.
 */
export function defineKind<Value>(
  name: string,
  countBytes: (value: Value) => number,
  { maxAgeMs = 0 }: { readonly maxAgeMs?: number } = {},
): Kind<Value> {
  if (kinds.has(name)) throw new Error(`There is a kind '${name}' already`);
  kinds.add(name);
  const getUsage = ({ usages }: Memory): Usage => {
    let usage = usages.get(name);
    if (!usage) usages.set(name, (usage = { bytes: 0, lookups: 0, writes: 0 }));
    return usage;
  };
  return {
    name,
    find(owner, key) {
      const memory = getMemory(owner);
      getUsage(memory).lookups += 1;
      // Safe: entries of this name are kept below only.
      return memory.entries.get(`${name} ${key}`)?.value as Value | undefined;
    },
    keep(owner, key, value) {
      const memory = getMemory(owner);
      const usage = getUsage(memory);
      const bytes = ENTRY_BYTES + countBytes(value);
      usage.bytes += bytes;
      usage.writes += 1;
      const kept = memory.entries.set(`${name} ${key}`, { usage, value, bytes }, { ttl: maxAgeMs });
      // Too large: it was not taken, so nothing tells when it leaves.
      if (!kept.has(`${name} ${key}`)) usage.bytes -= bytes;
    },
  };
}

/** Returns what each kind holds of this database, and how often it was asked since the process has started. */
export function listKindUsages(owner: MemoryOwner): KindUsage[] {
  const { usages } = getMemory(owner);
  return listKinds().map((kind) => ({
    kind,
    ...(usages.get(kind) ?? { bytes: 0, lookups: 0, writes: 0 }),
  }));
}

/** Size of a text: the engine stores text of Latin 1 in one byte a character. */
export const countTextBytes = (text: string): number =>
  text.length * (BEYOND_LATIN_1.test(text) ? 2 : 1);

const BEYOND_LATIN_1 = /[\u0100-\uFFFF]/;
