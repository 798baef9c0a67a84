/**
 * 135,000 places in typed arrays, sorted by cells of one degree: about 5 MB, where the same as
 * objects takes 60.
 */
export type PlaceTable = {
  readonly count: number;
  /** In degrees, as the longitude. */
  latitude(index: number): number;
  longitude(index: number): number;
  population(index: number): number;
  /** The country code as `toCountryNumber` returns it. */
  country(index: number): number;
  name(index: number): string;
  state(index: number): string | undefined;
  /** Index ranges of all cells within so many degrees. */
  cells(
    latitude: number,
    longitude: number,
    north: number,
    east: number,
  ): Iterable<[number, number]>;
};

/** One place as numbers and positions in the file: texts would be 400,000 objects of garbage. */
type Row = {
  nameStart: number;
  nameEnd: number;
  country: number;
  /** A number that stands for country and state code together. */
  state: number;
  isTown: boolean;
  population: number;
  latitude: number;
  longitude: number;
};

export function readPlaces(
  bytes: Uint8Array,
  admin1: readonly { readonly code: string; readonly name: string }[],
): PlaceTable {
  // Filled by another function: a closure made beside it would keep the whole file in memory.
  const table = fill(bytes, admin1);
  const { starts, states, names, nameStarts, latitudes, longitudes, populations, countries } =
    table;
  const stateNames = admin1.map(({ name }) => name);
  const decoder = new TextDecoder();
  return {
    count: latitudes.length,
    latitude: (index) => latitudes[index]! / 1e5,
    longitude: (index) => longitudes[index]! / 1e5,
    population: (index) => populations[index]!,
    country: (index) => countries[index]!,
    name(index) {
      const start = nameStarts[index]!;
      return decoder.decode(names.subarray(start + 1, start + 1 + names[start]!));
    },
    state: (index) => stateNames[states[index]! - 1],
    cells: (...around) => cellsAround(starts, ...around),
  };
}

function fill(bytes: Uint8Array, admin1: readonly { readonly code: string }[]) {
  const { starts, kept, nameBytes } = cellOrder(bytes);
  const [latitudes, longitudes] = [new Int32Array(kept), new Int32Array(kept)];
  const [populations, nameStarts] = [new Uint32Array(kept), new Uint32Array(kept)];
  const [countries, states] = [new Uint16Array(kept), new Uint16Array(kept)];
  const names = new Uint8Array(nameBytes);
  const stateNumbers = new Map(admin1.map(({ code }, index) => [stateKey(code), index + 1]));
  const next = starts.slice();
  let used = 0;
  scan(bytes, (row) => {
    if (!row.isTown) return;
    const cell = toCell(row.latitude / 1e5, row.longitude / 1e5);
    const index = next[cell]!;
    next[cell] = index + 1;
    latitudes[index] = row.latitude;
    longitudes[index] = row.longitude;
    populations[index] = row.population;
    countries[index] = row.country;
    states[index] = stateNumbers.get(row.state) ?? 0;
    nameStarts[index] = used;
    const name = bytes.subarray(row.nameStart, row.nameEnd);
    names[used] = name.length;
    names.set(name, used + 1);
    used += name.length + 1;
  });
  return { starts, states, names, nameStarts, latitudes, longitudes, populations, countries };
}

const COLUMNS = 360;
const ROWS = 180;

function toCell(latitude: number, longitude: number): number {
  const row = Math.min(ROWS - 1, Math.max(0, Math.floor(latitude) + 90));
  const column = (((Math.floor(longitude) + 180) % COLUMNS) + COLUMNS) % COLUMNS;
  return row * COLUMNS + column;
}

/** Where each cell begins when the places are sorted by cell, found by counting first. */
function cellOrder(bytes: Uint8Array) {
  const starts = new Uint32Array(ROWS * COLUMNS + 1);
  let [kept, nameBytes] = [0, 0];
  scan(bytes, (row) => {
    if (!row.isTown) return;
    starts[toCell(row.latitude / 1e5, row.longitude / 1e5) + 1]! += 1;
    nameBytes += row.nameEnd - row.nameStart + 1;
    kept += 1;
  });
  for (let cell = 1; cell < starts.length; cell++) starts[cell]! += starts[cell - 1]!;
  return { starts, kept, nameBytes };
}

function* cellsAround(
  starts: Uint32Array,
  latitude: number,
  longitude: number,
  north: number,
  east: number,
): Generator<[number, number]> {
  const width = Math.min(180, east);
  for (let y = Math.floor(latitude - north); y <= latitude + north; y++) {
    if (y < -90 || y >= 90) continue;
    for (let x = Math.floor(longitude - width); x <= longitude + width; x++) {
      const cell = toCell(y, x);
      const [from, to] = [starts[cell]!, starts[cell + 1]!];
      if (from < to) yield [from, to];
    }
  }
}

/** 'FR' in sixteen bits. */
export const toCountryNumber = (code: string): number =>
  code.charCodeAt(0) * 256 + code.charCodeAt(1);

/** FNV-1a of 'US.CA': one collision among 4000 codes would be one in a million. */
function stateKey(code: string): number {
  let hash = HASH_START;
  for (let at = 0; at < code.length; at++) hash = hashByte(hash, code.charCodeAt(at));
  return hash;
}

const HASH_START = 0x811c9dc5;
const hashByte = (hash: number, byte: number) => Math.imul(hash ^ byte, 0x01000193);
const DOT = 46;

const LETTER = { C: 67, H: 72, Q: 81, W: 87, X: 88 };

/** Not PPLX (part of a town), nor PPLH, PPLQ, PPLW, PPLCH (towns that are no more). */
function isTown(bytes: Uint8Array, start: number, end: number): boolean {
  const [length, kind] = [end - start, bytes[start + 3]];
  if (length === 5 && bytes[start + 4] === LETTER.H) return kind !== LETTER.C;
  if (length !== 4) return true;
  return kind !== LETTER.X && kind !== LETTER.H && kind !== LETTER.Q && kind !== LETTER.W;
}

/**
 * The file is a list of protocol buffer messages, each behind its length; positions are differences
 * from the one before. The row is one object, filled anew for each visit.
 */
function scan(bytes: Uint8Array, visit: (row: Row) => void): void {
  let at = 0;
  const varint = (): number => {
    let [value, scale] = [0, 1];
    for (;;) {
      const byte = bytes[at++]!;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  };
  const signed = (): number => {
    const value = varint();
    return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
  };
  const row = { ...EMPTY };
  while (at < bytes.length) {
    const { latitude, longitude } = row;
    Object.assign(row, EMPTY, { latitude, longitude });
    const length = varint();
    const end = at + length;
    while (at < end) {
      const key = varint();
      const field = key >> 3;
      if (field === 9) row.population = varint();
      else if (field === 10) row.longitude += signed();
      else if (field === 11) row.latitude += signed();
      else if ((key & 7) === 0) varint();
      else {
        const size = varint();
        readText(row, field, bytes, at, at + size);
        at += size;
      }
    }
    visit(row);
  }
}

const EMPTY: Row = {
  nameStart: 0,
  nameEnd: 0,
  country: 0,
  state: 0,
  isTown: true,
  population: 0,
  latitude: 0,
  longitude: 0,
};

function readText(row: Row, field: number, bytes: Uint8Array, start: number, end: number): void {
  if (field === 2) {
    row.nameStart = start;
    row.nameEnd = Math.min(end, start + 255);
  } else if (field === 3) {
    row.country = bytes[start]! * 256 + bytes[start + 1]!;
  } else if (field === 7) {
    row.isTown = isTown(bytes, start, end);
  } else if (field === 8) {
    let hash = hashByte(hashByte(HASH_START, row.country >> 8), row.country & 255);
    hash = hashByte(hash, DOT);
    for (let at = start; at < end; at++) hash = hashByte(hash, bytes[at]!);
    row.state = hash;
  }
}
