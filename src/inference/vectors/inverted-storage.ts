import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Centroids, Quantised } from './list-kernel.ts';
import {
  addSlack,
  growFile,
  mapFile,
  mapFloats,
  mapIntegers,
  type MappedMemory,
  type Memory,
  toMemory,
} from './mapped-memory.ts';

// The memory-mapped files of an inverted file. Lists are chains of blocks: `first` and `last` tell the
// blocks of each list, `used` the entries of its last block, `next` the block after each.

/** Entries of a block, as in native/vectors.c. Those of block 0 are not used: 0 is the end of a chain. */
export const BLOCK = 64;
const MIN_BLOCKS = 64;
const MIN_PLACES = 1024;
/** Most blocks that have room but no entries. */
const MOST_SLACK = 16_384;

/**
 * Places of numbers in the file `head`: how many blocks are used and have room, slots whose entry may be known, entries
 * ever added, and those of them that it had when it was complete.
 */
const HEAD = {
  lists: 0,
  groups: 1,
  blocks: 2,
  capacity: 3,
  places: 4,
  entries: 5,
  completed: 6,
} as const;
const HEAD_LENGTH = 16;

export type Entries = Quantised & {
  /** The slot of each entry. */
  readonly slots: Uint32Array;
  /** The block after each; 0: none. */
  readonly next: Uint32Array;
  /** The entry of each slot; 0: none. */
  readonly places: Uint32Array;
};

export type InvertedStorage = {
  readonly centroids: Centroids;
  readonly first: Uint32Array;
  readonly last: Uint32Array;
  readonly used: Uint32Array;
  /** Returns the current mapping, for one use: another process may have grown the files. */
  entries(): Entries;
  /** Makes room for so many more blocks, and for the entries of so many slots. */
  reserve(blocks: number, slots: number): void;
  /** Returns the next free entry of a list. */
  append(list: number): number;
  /** Returns how many entries were added, and how many until it was complete. */
  count(): { readonly added: number; readonly completed: number };
  complete(): void;
  close(): void;
};

/** Creates the files in a new folder. */
export function createInvertedStorage(
  folder: string,
  dimension: number,
  { bytes: centroids, scales, groups, starts }: Centroids,
): void {
  mkdirSync(folder, { recursive: true });
  const [lists, groupCount] = [scales.length, groups.scales.length];
  const write = (name: string, from: ArrayBufferView): void => {
    growFile(join(folder, name), from.byteLength);
    const memory = mapFile(join(folder, name), from.byteLength);
    const bytes = new Uint8Array(from.buffer, from.byteOffset, from.byteLength);
    memory.view(0, from.byteLength).set(bytes);
    memory.unmap();
  };
  write('centroid-bytes', centroids.view(0, lists * dimension));
  write('centroid-scales', scales);
  write('group-bytes', groups.bytes.view(0, groupCount * dimension));
  write('group-scales', groups.scales);
  write('group-starts', starts);
  for (const name of ['first', 'last', 'used']) write(name, new Uint32Array(lists));
  const head = new Uint32Array(HEAD_LENGTH);
  head.set([lists, groupCount, 1]);
  write('head', head);
}

/** Opens the files; throws when there are none. */
export function openInvertedStorage(folder: string, dimension: number): InvertedStorage {
  const fixed: MappedMemory[] = [];
  const map = (name: string, bytes: number): Memory => {
    const memory = mapFile(join(folder, name), bytes);
    fixed.push(memory);
    return memory;
  };
  const integers = (name: string, count: number) => mapIntegers(map(name, count * 4), count);
  const floats = (name: string, count: number) => mapFloats(map(name, count * 4), count);
  const head = integers('head', HEAD_LENGTH);
  const get = (name: keyof typeof HEAD): number => head[HEAD[name]] ?? 0;
  const [lists, groups] = [get('lists'), get('groups')];
  const growing = openEntries(folder, dimension, get);
  const [first, last, used] = [
    integers('first', lists),
    integers('last', lists),
    integers('used', lists),
  ];

  return {
    centroids: {
      bytes: map('centroid-bytes', lists * dimension),
      scales: floats('centroid-scales', lists),
      groups: {
        bytes: map('group-bytes', groups * dimension),
        scales: floats('group-scales', groups),
      },
      starts: integers('group-starts', groups + 1),
    },
    first,
    last,
    used,
    entries: growing.map,
    reserve(blocks, slots) {
      const wanted = get('blocks') + blocks;
      if (wanted > get('capacity')) head[HEAD.capacity] = growing.growBlocks(wanted);
      if (slots > get('places')) head[HEAD.places] = growing.growPlaces(slots);
    },
    append(list) {
      let block = last[list] ?? 0;
      let count = used[list] ?? 0;
      if (block === 0 || count === BLOCK) {
        const added = get('blocks');
        head[HEAD.blocks] = added + 1;
        if (block === 0) first[list] = added;
        else growing.map().next[block] = added;
        last[list] = block = added;
        count = 0;
      }
      used[list] = count + 1;
      head[HEAD.entries] = get('entries') + 1;
      return block * BLOCK + count;
    },
    count: () => ({ added: get('entries'), completed: get('completed') }),
    complete: () => void (head[HEAD.completed] = get('entries')),
    close() {
      growing.unmap();
      for (const memory of fixed.splice(0)) memory.unmap();
    },
  };
}

/** The files that grow: of blocks, and of slots. */
function openEntries(
  folder: string,
  dimension: number,
  get: (name: 'capacity' | 'places') => number,
) {
  let mapped: { entries: Entries; memories: MappedMemory[]; size: string } | undefined;

  function unmap(): void {
    for (const memory of mapped?.memories ?? []) memory.unmap();
    mapped = undefined;
  }

  function map(): Entries {
    const [blocks, places] = [get('capacity'), get('places')];
    const size = `${blocks} ${places}`;
    if (mapped?.size === size) return mapped.entries;
    unmap();
    const memories: MappedMemory[] = [];
    const open = (name: string, bytes: number) => {
      // Nothing can be mapped of an empty file.
      if (bytes === 0) return EMPTY;
      const memory = mapFile(join(folder, name), bytes);
      memories.push(memory);
      return memory;
    };
    const count = blocks * BLOCK;
    const entries = {
      bytes: open('bytes', count * dimension),
      scales: mapFloats(open('scales', count * 4), count),
      slots: mapIntegers(open('slots', count * 4), count),
      next: mapIntegers(open('next', blocks * 4), blocks),
      places: mapIntegers(open('places', places * 4), places),
    };
    mapped = { entries, memories, size };
    return entries;
  }

  return {
    map,
    unmap,
    growBlocks(wanted: number): number {
      const blocks = Math.max(MIN_BLOCKS, addSlack(wanted, MOST_SLACK));
      growFile(join(folder, 'bytes'), blocks * BLOCK * dimension);
      growFile(join(folder, 'scales'), blocks * BLOCK * 4);
      growFile(join(folder, 'slots'), blocks * BLOCK * 4);
      growFile(join(folder, 'next'), blocks * 4);
      return blocks;
    },
    growPlaces(wanted: number): number {
      const places = Math.max(MIN_PLACES, addSlack(wanted, MOST_SLACK * BLOCK));
      growFile(join(folder, 'places'), places * 4);
      return places;
    },
  };
}

const EMPTY = toMemory(new Uint8Array(0));
