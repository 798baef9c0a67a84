import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { Compile } from 'typebox/compile';
import { effort } from '../../../../test/support/effort.ts';
import { EDITS, getSource, type Kind, toModel } from '../../../../test/support/film-edits.ts';
import type { Model } from '../../../../test/support/film-model.ts';
import { requireConsistent } from '../../../areas/studio/projects/document.ts';
import { StudioProjectWriteDto } from '../../../areas/studio/projects/schemas.ts';
import { compare, toRational, toWire } from '../../../core/rational.ts';
import { getSourceOut } from './edits.ts';
import { EMPTY_DOCUMENT, type Film, toDocument, toFilm } from './film.ts';
import { type History, reduceHistory, toHistory } from './history.ts';

const RATES = [
  { numerator: 30, denominator: 1 },
  { numerator: 30_000, denominator: 1001 },
  { numerator: 25, denominator: 1 },
];
const MAX_STEPS = 50;
const RUNS = Number(process.env['SAFELIGHT_TEST_STUDIO_RUNS'] ?? effort({ quick: 10, full: 200 }));

const KINDS = Object.keys(EDITS) as Kind[];
const GESTURES = ['drag', 'trimStart', 'trimEnd'] as const;
const number = fc.nat({ max: 400 });
const values = { a: number, b: number, c: number };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constantFrom(...KINDS), ...values }) },
  { weight: 1, arbitrary: fc.constantFrom({ kind: 'undo' as const }, { kind: 'redo' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('gesture' as const),
      edit: fc.constantFrom(...GESTURES),
      a: number,
      path: fc.array(number, { minLength: 1, maxLength: 6 }),
    }),
  },
);
type Step =
  | { kind: Kind; a: number; b: number; c: number }
  | { kind: 'undo' }
  | { kind: 'redo' }
  | { kind: 'gesture'; edit: (typeof GESTURES)[number]; a: number; path: number[] };

/** The steps that can be undone and redone, as the page should have them. */
type ModelHistory = { past: Model[]; model: Model; future: Model[] };

const edited = (history: ModelHistory, model: Model): ModelHistory =>
  Bun.deepEquals(model, history.model)
    ? history
    : { past: [...history.past, history.model].slice(-MAX_STEPS), model, future: [] };

const undone = ({ past, model, future }: ModelHistory): ModelHistory =>
  past.length === 0
    ? { past, model, future }
    : { past: past.slice(0, -1), model: past.at(-1)!, future: [model, ...future] };

const redone = ({ past, model, future }: ModelHistory): ModelHistory =>
  future.length === 0
    ? { past, model, future }
    : { past: [...past, model], model: future[0]!, future: future.slice(1) };

/** Takes one step on the page and in the model. */
function run(page: History, model: ModelHistory, step: Step): [History, ModelHistory] {
  if (step.kind === 'undo') return [reduceHistory(page, { type: 'undo' }), undone(model)];
  if (step.kind === 'redo') return [reduceHistory(page, { type: 'redo' }), redone(model)];
  const state = { film: page.film, model: model.model };
  if (step.kind !== 'gesture') {
    const result = EDITS[step.kind](state, step);
    if (!result) return [page, model];
    return [
      reduceHistory(page, { type: 'edit', edit: () => result.film }),
      edited(model, result.model),
    ];
  }
  // Where it ends counts, not the way there.
  const gesture = crypto.randomUUID();
  const edit = (film: Film, model: Model, b: number) =>
    EDITS[step.edit]({ film, model }, { kind: step.edit, a: step.a, b, c: 0 });
  const moved = step.path.reduce((page, b) => {
    const begun = { film: state.film, model: state.model };
    return reduceHistory(page, {
      type: 'edit',
      edit: (film) =>
        edit(film, film === begun.film ? begun.model : toModel(film), b)?.film ?? film,
      gesture,
    });
  }, page);
  const end = edit(state.film, state.model, step.path.at(-1)!);
  return [moved, edited(model, end?.model ?? state.model)];
}

const validator = Compile(StudioProjectWriteDto);

function expectStorable(film: Film): void {
  const document = toDocument(film);
  requireConsistent(document);
  expect([...validator.Errors({ expectedRevision: 1, document })]).toEqual([]);
  const parts = [...film.clips, ...film.sounds];
  for (const { start, duration, sourceIn, fadeIn, fadeOut, speed } of parts)
    for (const time of [start, duration, sourceIn, fadeIn, fadeOut, speed])
      if (time) expect(toWire(toRational(time))).toEqual(time);
  for (const part of parts) {
    const source = getSource(part);
    if (source) expect(compare(getSourceOut(part), source)).toBeLessThanOrEqual(0);
  }
  expect(toModel(toFilm(JSON.parse(JSON.stringify(document))))).toEqual(toModel(film));
}

test('any edits do what a simple model of the timeline says, and undo and redo go back and forth', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...RATES),
      fc.array(step, { maxLength: 60, size: 'max' }),
      (frameRate, steps) => {
        let page = toHistory(toFilm({ ...EMPTY_DOCUMENT, frameRate }));
        let model: ModelHistory = { past: [], model: [], future: [] };
        for (const step of steps) {
          [page, model] = run(page, model, step);
          expect(toModel(page.film)).toEqual(model.model);
          expect([page.past.length, page.future.length]).toEqual([
            model.past.length,
            model.future.length,
          ]);
          expectStorable(page.film);
        }
        while (page.past.length > 0) [page, model] = run(page, model, { kind: 'undo' });
        expect(toModel(page.film)).toEqual(model.model);
        while (page.future.length > 0) [page, model] = run(page, model, { kind: 'redo' });
        expect(toModel(page.film)).toEqual(model.model);
      },
    ),
    { numRuns: RUNS },
  );
}, 3_600_000);
