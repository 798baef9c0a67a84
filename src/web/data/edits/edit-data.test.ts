import { expect, test } from 'bun:test';
import { refusal, startPageServer } from '../../../../test/support/page-server.ts';
import {
  type Edits,
  fetchState,
  NO_EDITS,
  saveState,
  type Step,
  toEdits,
  toSteps,
  turnAngle,
} from './edit-data.ts';

const server = startPageServer();
const SIZE = { width: 300, height: 200 };

/** Where a point of the picture, from 0 to 1, is seen after the steps. */
function project([x, y]: readonly [number, number], steps: readonly Step[]): number[] {
  let [at, size] = [[x * SIZE.width, y * SIZE.height] as [number, number], { ...SIZE }];
  for (const step of steps) {
    if (step.action === 'crop') {
      at = [at[0] - step.parameters.x, at[1] - step.parameters.y];
      size = { width: step.parameters.width, height: step.parameters.height };
    } else if (step.action === 'mirror') {
      at =
        step.parameters.axis === 'horizontal'
          ? [size.width - at[0], at[1]]
          : [at[0], size.height - at[1]];
    } else {
      for (let turned = 0; turned < step.parameters.angle; turned += 90) {
        at = [size.height - at[1], at[0]];
        size = { width: size.height, height: size.width };
      }
    }
  }
  return at.map((value) => Math.round(value * 1000) / 1000);
}

const mirror = (axis: 'horizontal' | 'vertical'): Step => ({
  action: 'mirror',
  parameters: { axis },
});
const rotate = (angle: number): Step => ({ action: 'rotate', parameters: { angle } });

test.each<[string, Step[]]>([
  ['a turn', [rotate(90)]],
  ['turns beyond a whole one', [rotate(270), rotate(180)]],
  ['a mirror before a turn', [mirror('horizontal'), rotate(90)]],
  ['up and down', [mirror('vertical')]],
  ['both mirrors', [mirror('vertical'), mirror('horizontal')]],
  ['up and down between turns', [rotate(90), mirror('vertical'), rotate(270)]],
])('steps of another program show the same picture as ours: %s', (_, steps) => {
  const ours = toSteps(toEdits(steps, SIZE), SIZE);
  for (const point of [
    [0.1, 0.2],
    [0.9, 0.3],
  ] as const) {
    expect(project(point, ours)).toEqual(project(point, steps));
  }
});

test('a crop comes first, then the turn and the mirror, as the server wants them', () => {
  const edits: Edits = {
    cut: { x: 0.5, y: 0, width: 0.5, height: 0.5 },
    angle: 90,
    isMirrored: true,
  };
  expect(toSteps(edits, SIZE)).toEqual([
    { action: 'crop', parameters: { x: 150, y: 0, width: 150, height: 100 } },
    rotate(90),
    mirror('horizontal'),
  ]);
  expect(toEdits(toSteps(edits, SIZE), SIZE)).toEqual(edits);
  expect(toSteps(NO_EDITS, SIZE)).toEqual([]);
});

test('a crop has at least one pixel, and none outside of the picture', () => {
  const crop = (x: number, width: number) =>
    toSteps({ ...NO_EDITS, cut: { x, y: 0, width, height: 1 } }, SIZE)[0]!.parameters;
  expect(crop(1, 0.0001)).toMatchObject({ x: 299, width: 1 });
  expect(crop(-0.1, 0.2)).toMatchObject({ x: 0, width: 30 });
  expect(crop(0.9, 0.5)).toMatchObject({ x: 270, width: 30 });
  expect(crop(0.333, 0.001)).toMatchObject({ x: 100, width: 1 });
});

test('angles stay within one turn, in both directions', () => {
  expect([turnAngle(270, 90), turnAngle(0, -90), turnAngle(90, -450)]).toEqual([0, 270, 0]);
});

test('what is saved is for the revision that was read, and its answer is the new state', async () => {
  const answer = { edits: [rotate(90)], adjustments: {}, size: SIZE, revision: 'r1' };
  server.answer('GET /assets/a/adjustments', () => answer);
  server.answer('PUT /assets/a/adjustments', ({ body }) => ({
    ...answer,
    ...body,
    revision: 'r2',
  }));
  const state = await fetchState('a');
  expect(state).toMatchObject({
    edits: { angle: 90, cut: undefined, isMirrored: false },
    revision: 'r1',
  });
  const saved = await saveState('a', { ...state, edits: { ...state.edits, angle: 180 } });
  expect(saved).toMatchObject({ edits: { angle: 180 }, revision: 'r2' });
  expect(server.listBodies('PUT /assets/a/adjustments')).toEqual([
    { expectedRevision: 'r1', edits: [rotate(180)], adjustments: {} },
  ]);
});

test('a photo that was changed elsewhere is refused with its code', async () => {
  server.answer('PUT /assets/a/adjustments', () => refusal(409, { code: 'stale_revision' }));
  const state = { edits: NO_EDITS, adjustments: {} as never, size: SIZE, revision: 'r1' };
  await expect(saveState('a', state)).rejects.toMatchObject({
    status: 409,
    code: 'stale_revision',
  });
});
