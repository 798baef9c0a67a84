import { expect } from 'bun:test';
import {
  multiply,
  rational,
  toRational,
  toSeconds,
  toWire,
  ZERO,
} from '../../src/core/rational.ts';
import {
  change,
  changeSpeed,
  insert,
  move,
  remove,
  setVolume,
  split,
  trimEnd,
  trimStart,
} from '../../src/web/pages/studio/edits.ts';
import { getFadeIn, getFadeOut } from '../../src/web/pages/studio/fades.ts';
import {
  type Entry,
  type Film,
  fromFrameNumber,
  getEnd,
  getLength,
  getStart,
  isClip,
  isMediaEntry,
  isSound,
  listEntries,
  toNearestFrame,
} from '../../src/web/pages/studio/film.ts';
import { MOVEMENTS, withMovement } from '../../src/web/pages/studio/movements.ts';
import { listSnapTimes, snap, snapSpan } from '../../src/web/pages/studio/snap.ts';
import { setFades, setTransition, TRANSITIONS } from '../../src/web/pages/studio/transitions.ts';
import {
  insertEntry,
  type Model,
  type ModelEntry,
  moveEntry,
  removeEntry,
  setModelFades,
  setModelSpeed,
  setModelTransition,
  SOUNDS,
  sortModel,
  splitEntry,
  swap,
  TITLES,
  trimEntryEnd,
  trimEntryStart,
} from './film-model.ts';

// Each edit of the timeline, in a film as the page has it and in the model.

/** Lengths of the videos in the library, in ms; others are pictures. */
const VIDEOS: Readonly<Record<string, number>> = {
  '00000000-0000-4000-8000-000000000001': 4000,
  '00000000-0000-4000-8000-000000000002': 1234,
};
const ASSETS = [...Object.keys(VIDEOS), '00000000-0000-4000-8000-000000000003'];
/** Pixels for a second. */
const ZOOM = 40;
const REACH_PIXELS = 8;

type Command = { readonly kind: Kind; readonly a: number; readonly b: number; readonly c: number };
type State = { film: Film; model: Model };
/** Edits both, or returns undefined where there is nothing to edit. */
type Edit = (state: State, command: Command) => { film: Film; model: Model } | undefined;

const getRate = ({ frameRate }: Film): number => toSeconds(toRational(frameRate));
export const getSource = (entry: Entry) => {
  const length = isMediaEntry(entry) ? VIDEOS[entry.assetId] : undefined;
  return length === undefined ? undefined : rational(BigInt(length), 1000n);
};
/** Returns a time in frames, of which it is a whole number of `parts`. */
function toFrames(film: Film, time: ReturnType<typeof getStart>, parts = 1): number {
  const { numerator, denominator } = multiply(
    multiply(time, toRational(film.frameRate)),
    rational(BigInt(parts)),
  );
  expect(denominator).toBe(1n);
  return Number(numerator);
}

function toModelEntry(film: Film, entry: Entry): ModelEntry {
  const source = getSource(entry);
  const parts = source && multiply(multiply(source, toRational(film.frameRate)), rational(100n));
  return {
    name: isMediaEntry(entry) ? entry.assetId : entry.text,
    row: isClip(entry) ? entry.track : isSound(entry) ? SOUNDS : TITLES,
    start: toFrames(film, getStart(entry)),
    end: toFrames(film, getEnd(entry)),
    sourceIn: isMediaEntry(entry) && source ? toFrames(film, toRational(entry.sourceIn), 100) : 0,
    sourceLength: parts && Number(parts.numerator) / Number(parts.denominator),
    speedPercent:
      isMediaEntry(entry) && entry.speed
        ? Math.round(100 * toSeconds(toRational(entry.speed)))
        : 100,
    fadeIn: toFrames(film, getFadeIn(entry)),
    fadeOut: toFrames(film, getFadeOut(entry)),
    rotation: (isClip(entry) && entry.rotation) || 0,
    volume: isMediaEntry(entry) ? (entry.volume ?? 1) : 1,
  };
}

export const toModel = (film: Film): Model =>
  sortModel(listEntries(film).map((entry) => toModelEntry(film, entry)));

/** Returns the entry that the model has so. */
const findAt = (film: Film, was: ModelEntry): Entry =>
  listEntries(film).find((entry) => Bun.deepEquals(toModelEntry(film, entry), was))!;

type Picked = { at: number; entry: Entry; was: ModelEntry };

const onPicked =
  (edit: (state: State, picked: Picked, command: Command) => ReturnType<Edit>): Edit =>
  (state, command) => {
    const at = command.a % Math.max(1, state.model.length);
    const was = state.model[at];
    return was && edit(state, { at, was, entry: findAt(state.film, was) }, command);
  };

const add = ({ film, model }: State, entry: Entry) => ({
  film: insert(film, entry),
  model: insertEntry(model, toModelEntry(film, entry)),
});

let next = 0;
export const EDITS = {
  add: ({ film, model }, { a, b, c }) => {
    const assetId = ASSETS[a % ASSETS.length]!;
    const most = VIDEOS[assetId] ? Math.floor((VIDEOS[assetId] / 1000) * getRate(film)) : 90;
    const times = {
      start: toWire(fromFrameNumber(film, b)),
      duration: toWire(fromFrameNumber(film, 1 + (c % most))),
      sourceIn: toWire(ZERO),
    };
    return add({ film, model }, { id: `new ${next++}`, assetId, track: a % 3, ...times });
  },
  title: ({ film, model }, { b, c }) => {
    const start = toWire(fromFrameNumber(film, b));
    const duration = toWire(fromFrameNumber(film, 1 + (c % 60)));
    const look = { text: `Title ${next}`, x: 0.5, y: 0.5, size: 0.1 };
    return add({ film, model }, { id: `new ${next++}`, start, duration, ...look });
  },
  sound: ({ film, model }, { a, b, c }) => {
    const [assetId, length] = Object.entries(VIDEOS)[a % Object.keys(VIDEOS).length]!;
    const most = Math.floor((length / 1000) * getRate(film));
    const times = {
      start: toWire(fromFrameNumber(film, b)),
      duration: toWire(fromFrameNumber(film, 1 + (c % most))),
      sourceIn: toWire(ZERO),
    };
    return add({ film, model }, { id: `new ${next++}`, assetId, ...times });
  },
  volume: onPicked(({ film, model }, { at, entry, was }, { b }) => {
    const volume = (b % 5) / 2;
    if (!isMediaEntry(entry)) return undefined;
    return { film: setVolume(film, entry, volume), model: swap(model, at, { ...was, volume }) };
  }),
  move: onPicked(({ film, model }, { at, entry }, { b, c }) => ({
    film: move(film, entry.id, fromFrameNumber(film, b), c % 4),
    model: moveEntry(model, at, b, c % 4),
  })),
  drag: onPicked(({ film, model }, { at, entry, was }, { b }) => ({
    film: move(
      film,
      entry.id,
      snapSpan(b / 10 + 0.003, toSeconds(getLength(entry)), catching(film, entry)),
    ),
    model: moveEntry(model, at, catchSpan(model, was, film, b / 10 + 0.003), undefined),
  })),
  trimStart: onPicked(({ film, model }, { at, entry, was }, { b }) => ({
    film: trimStart(film, entry.id, snap(b / 10 + 0.003, catching(film, entry)), getSource(entry)),
    model: trimEntryStart(model, at, catchEdge(model, was, film, b / 10 + 0.003).frame),
  })),
  trimEnd: onPicked(({ film, model }, { at, entry, was }, { b }) => ({
    film: trimEnd(film, entry.id, snap(b / 10 + 0.003, catching(film, entry)), getSource(entry)),
    model: trimEntryEnd(model, at, catchEdge(model, was, film, b / 10 + 0.003).frame),
  })),
  split: onPicked(({ film, model }, { at, entry, was }, { b }) => {
    const frame = was.start + (b % (was.end - was.start + 2)) - 1;
    return {
      film: split(film, entry.id, fromFrameNumber(film, frame)),
      model: splitEntry(model, at, frame),
    };
  }),
  remove: onPicked(({ film, model }, { at, entry }, { b }) => ({
    film: remove(film, entry.id, b % 2 === 1),
    model: removeEntry(model, at, b % 2 === 1),
  })),
  speed: onPicked(({ film, model }, { at, entry }, { b }) => ({
    film: changeSpeed(film, entry.id, rational(BigInt(50 + b), 100n)),
    model: setModelSpeed(model, at, 50 + b),
  })),
  transition: onPicked(({ film, model }, { at, entry }, { b }) => ({
    film: setTransition(film, entry.id, TRANSITIONS[b % 3]!),
    model: setModelTransition(model, at, TRANSITIONS[b % 3]!, Math.floor(getRate(film))),
  })),
  fades: onPicked(({ film, model }, { at, entry }, { b, c }) => ({
    film: setFades(film, entry.id, fromFrameNumber(film, b % 60), fromFrameNumber(film, c % 60)),
    model: setModelFades(model, at, b % 60, c % 60),
  })),
  look: onPicked(({ film, model }, { at, entry, was }, { b, c }) => {
    if (isSound(entry)) return undefined;
    if (!isClip(entry))
      return {
        film: change(film, entry, { text: `Title ${b}` }),
        model: model.with(at, { ...was, name: `Title ${b}` }),
      };
    if (was.rotation === c % 360) return undefined;
    const moving = withMovement(entry, MOVEMENTS[b % MOVEMENTS.length]!);
    return {
      film: change(film, moving, { rotation: c % 360 }),
      model: model.with(at, { ...was, rotation: c % 360 }),
    };
  }),
} satisfies Record<string, Edit>;
export type Kind = keyof typeof EDITS;

const catching = (film: Film, { id }: Entry) => ({
  film,
  times: listSnapTimes(film, ZERO),
  id,
  zoom: ZOOM,
});

/** Returns the nearest edge of another entry within reach, or the nearest frame. */
function catchEdge(model: Model, was: ModelEntry, film: Film, seconds: number) {
  const rate = getRate(film);
  const edges = model.filter((entry) => entry !== was).flatMap(({ start, end }) => [start, end]);
  const [nearest] = [0, ...edges]
    .map((frame) => ({ frame, away: Math.abs(frame / rate - seconds) }))
    .toSorted((a, b) => a.away - b.away);
  const isCaught = nearest!.away <= REACH_PIXELS / ZOOM;
  return { frame: isCaught ? nearest!.frame : toFrame(film, seconds), isCaught };
}

function catchSpan(model: Model, was: ModelEntry, film: Film, seconds: number): number {
  const length = was.end - was.start;
  const start = catchEdge(model, was, film, seconds);
  const end = catchEdge(model, was, film, seconds + length / getRate(film));
  return !start.isCaught && end.isCaught ? Math.max(0, end.frame - length) : start.frame;
}

const toFrame = (film: Film, seconds: number) => toFrames(film, toNearestFrame(film, seconds));
