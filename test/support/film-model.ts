// The timeline in whole frames, edited by trying every place: slow and simple, what the editor is compared with.

export const TITLES = -1;
/** They may overlap. */
export const SOUNDS = -2;

export type ModelEntry = {
  readonly name: string;
  /** A track, TITLES or SOUNDS. */
  readonly row: number;
  readonly start: number;
  readonly end: number;
  /** Hundredths of a frame of the source; 0 for pictures and titles. */
  readonly sourceIn: number;
  /** The length of a video, in hundredths of a frame. */
  readonly sourceLength?: number | undefined;
  readonly speedPercent: number;
  readonly fadeIn: number;
  readonly fadeOut: number;
  /** Degrees. */
  readonly rotation: number;
  readonly volume: number;
};

/** By row and start, and those of one start in any order that is always the same. */
export type Model = readonly ModelEntry[];

export const sortModel = (entries: Model): Model =>
  entries.toSorted(
    (a, b) =>
      a.row - b.row || a.start - b.start || (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1),
  );

const getLength = ({ start, end }: ModelEntry): number => end - start;
const getOverlap = (before: ModelEntry, after: ModelEntry): number =>
  Math.max(0, before.end - after.start);

export const swap = (model: Model, at: number, entry: ModelEntry): Model =>
  sortModel(model.with(at, entry));

/** Returns the entry with its fades as far as they fit. */
function fit(entry: ModelEntry): ModelEntry {
  const fadeIn = Math.min(entry.fadeIn, getLength(entry));
  return { ...entry, fadeIn, fadeOut: Math.min(entry.fadeOut, getLength(entry) - fadeIn) };
}

/** Returns those that share the room in which the entry lies; a sound has its own. */
const getRow = (model: Model, entry: ModelEntry): Model =>
  entry.row === SOUNDS ? [entry] : model.filter(({ row }) => row === entry.row);

/** Whether clips overlap only in fades, two at a time, none within another; titles never. */
function isApart(row: Model): boolean {
  return row.every((after, at) => {
    const [oldest, before] = [row[at - 2], row[at - 1]];
    if (!before) return true;
    if (before.start >= after.start) return false;
    if (after.row === TITLES) return before.end <= after.start;
    const isInFade = before.end <= after.start + after.fadeIn && before.end <= after.end;
    return isInFade && (oldest === undefined || oldest.end <= after.start);
  });
}

/** Whether two neighbours overlap that did not before. */
const hasNewOverlap = (now: Model, before: Model): boolean =>
  now.some(
    (entry, at) =>
      at > 0 &&
      getOverlap(now[at - 1]!, entry) > 0 &&
      getOverlap(before[at - 1]!, before[at]!) === 0,
  );

/** Returns the frame nearest to the wanted one that is allowed, of two the earlier. */
function findNearest(wanted: number, isAllowed: (frame: number) => boolean): number | undefined {
  for (let away = 0; away < 20_000; away++)
    for (const frame of [wanted - away, wanted + away])
      if (frame >= 0 && isAllowed(frame)) return frame;
  return undefined;
}

/** Replaces the entry by the one of the nearest frame that keeps the row and its order. */
function adjust(
  model: Model,
  at: number,
  wanted: number,
  toEntry: (frame: number) => ModelEntry | undefined,
): { model: Model; frame: number | undefined } {
  const row = getRow(model, model[at]!);
  const index = row.indexOf(model[at]!);
  const frame = findNearest(wanted, (frame) => {
    const entry = toEntry(frame);
    if (!entry || entry.end <= entry.start) return false;
    const next = row.with(index, entry);
    return isApart(next) && !hasNewOverlap(next, row);
  });
  return { frame, model: frame === undefined ? model : swap(model, at, toEntry(frame)!) };
}

export function insertEntry(model: Model, entry: ModelEntry): Model {
  const others = getRow(model, entry).filter((other) => other !== entry);
  const length = getLength(entry);
  const start = findNearest(entry.start, (start) =>
    others.every((other) => start + length <= other.start || start >= other.end),
  );
  return start === undefined
    ? model
    : sortModel([...model, { ...entry, start, end: start + length }]);
}

export function moveEntry(model: Model, at: number, to: number, row: number | undefined): Model {
  const entry = model[at]!;
  const moved = {
    ...entry,
    row: entry.row < 0 ? entry.row : (row ?? entry.row),
    start: Math.max(0, to),
    end: Math.max(0, to) + getLength(entry),
  };
  return insertEntry(model.toSpliced(at, 1), moved);
}

export function trimEntryStart(model: Model, at: number, to: number): Model {
  const entry = model[at]!;
  return adjust(model, at, to, (start) => {
    const passed = (start - entry.start) * entry.speedPercent;
    const sourceIn = entry.sourceLength === undefined ? entry.sourceIn : entry.sourceIn + passed;
    return sourceIn < 0 ? undefined : fit({ ...entry, start, sourceIn });
  }).model;
}

/** Hundredths of a frame of the source at which the entry ends. */
const getSourceOut = (entry: ModelEntry): number =>
  entry.sourceIn + getLength(entry) * entry.speedPercent;

export function trimEntryEnd(model: Model, at: number, to: number): Model {
  const entry = model[at]!;
  return adjust(model, at, to, (end) => {
    const trimmed = fit({ ...entry, end });
    return getSourceOut(trimmed) > (entry.sourceLength ?? Infinity) ? undefined : trimmed;
  }).model;
}

export function splitEntry(model: Model, at: number, frame: number): Model {
  const entry = model[at]!;
  if (frame <= entry.start || frame >= entry.end) return model;
  const isMixed = getRow(model, entry).some(
    (other) => other !== entry && other.start <= frame && frame < other.end,
  );
  if (isMixed) return model;
  const passed = entry.sourceLength === undefined ? 0 : (frame - entry.start) * entry.speedPercent;
  const first = fit({ ...entry, end: frame, fadeOut: 0 });
  const second = fit({ ...entry, start: frame, sourceIn: entry.sourceIn + passed, fadeIn: 0 });
  return sortModel(model.toSpliced(at, 1, first, second));
}

export function removeEntry(model: Model, at: number, isRipple: boolean): Model {
  const entry = model[at]!;
  const rest = model.toSpliced(at, 1);
  if (!isRipple) return rest;
  const row = getRow(rest, entry);
  const before = row.filter(({ start }) => start < entry.start);
  const after = row.filter(({ start }) => start > entry.start);
  const [next] = after;
  if (!next) return rest;
  const begin = Math.max(entry.start, ...before.map(({ end }) => end));
  let by = getLength(entry);
  while (by > 0 && next.start - by < begin) by--;
  return rest.map((other) => (after.includes(other) ? shiftEntry(other, -by) : other));
}

const shiftEntry = (entry: ModelEntry, by: number): ModelEntry => ({
  ...entry,
  start: entry.start + by,
  end: entry.end + by,
});

/** The clip at once after the one before, or mixed with it, and that one's place; undefined behind a gap. */
function findBefore(model: Model, at: number): number | undefined {
  const [before, entry] = [model[at - 1], model[at]!];
  const adjoins = before?.row === entry.row && before.end >= entry.start;
  return adjoins && entry.row >= 0 ? at - 1 : undefined;
}

export type ModelTransition = 'cut' | 'crossfade' | 'dip';

function getTransition(before: ModelEntry, entry: ModelEntry): ModelTransition {
  if (getOverlap(before, entry) > 0) return 'crossfade';
  return before.fadeOut > 0 && entry.fadeIn > 0 ? 'dip' : 'cut';
}

export function setModelTransition(
  model: Model,
  at: number,
  transition: ModelTransition,
  /** Whole frames in a second. */
  second: number,
): Model {
  const beforeAt = findBefore(model, at);
  if (beforeAt === undefined) return model;
  const [before, entry] = [model[beforeAt]!, model[at]!];
  if (getTransition(before, entry) === transition) return model;
  const shiftFrom = (model: Model, by: number): Model =>
    model.map((other, index) =>
      other.row === entry.row && index >= at ? shiftEntry(other, by) : other,
    );
  const apart = shiftFrom(model, getOverlap(before, entry));
  const cut = swap(
    swap(apart, beforeAt, { ...before, fadeOut: 0 }),
    at,
    fit({ ...apart[at]!, fadeIn: 0 }),
  );
  if (transition === 'cut') return cut;
  const halves = [before, entry].map((entry) => Math.min(second, getLength(entry)) / 2);
  if (transition === 'dip') {
    const [out, into] = halves.map(Math.floor) as [number, number];
    const dark = swap(cut, beforeAt, fit({ ...cut[beforeAt]!, fadeOut: out }));
    return swap(dark, at, fit({ ...cut[at]!, fadeIn: into }));
  }
  const longest = [before, entry].map((entry) => Math.floor(getLength(entry) / 2));
  for (let length = Math.min(second, ...longest); length > 0; length--) {
    const pulled = shiftFrom(cut, -length);
    const mixed = swap(pulled, at, fit({ ...pulled[at]!, fadeIn: length }));
    if (isApart(getRow(mixed, entry))) return mixed;
  }
  return cut;
}

export function setModelFades(model: Model, at: number, fadeIn: number, fadeOut: number): Model {
  const entry = model[at]!;
  if (entry.row === TITLES) return model;
  const beforeAt = findBefore(model, at);
  const least = beforeAt === undefined ? 0 : getOverlap(model[beforeAt]!, entry);
  return swap(model, at, fit({ ...entry, fadeIn: Math.max(fadeIn, least), fadeOut }));
}

/** The same part in another time, cut off at the next clip; unchanged where it would need more of its source. */
export function setModelSpeed(model: Model, at: number, speedPercent: number): Model {
  const entry = model[at]!;
  if (entry.row === TITLES) return model;
  const wanted = entry.start + Math.floor((getLength(entry) * entry.speedPercent) / speedPercent);
  if (wanted === entry.start) return model;
  const { frame, model: changed } = adjust(model, at, wanted, (end) =>
    fit({ ...entry, speedPercent, end }),
  );
  return frame !== undefined && frame <= wanted ? changed : model;
}
