import type { PictureEditsResponse } from '../../../areas/assets/edits/adjustments.schemas.ts';
import type { Adjustments } from '../../../media/adjustments.ts';
import { get, put } from '../../base/api.ts';
import { mutate } from '../../base/query-client.ts';

/** A part of the picture as it was taken, from 0 to 1 of its width and height. */
export type Cut = { x: number; y: number; width: number; height: number };

/** Edits of a picture, applied in this order: cut, turn to the right, mirror. */
export type Edits = {
  cut: Cut | undefined;
  angle: 0 | 90 | 180 | 270;
  /** Left is right. */
  isMirrored: boolean;
};

export const NO_EDITS: Edits = { cut: undefined, angle: 0, isMirrored: false };

export type Step =
  | { action: 'crop'; parameters: Cut }
  | { action: 'rotate'; parameters: { angle: number } }
  | { action: 'mirror'; parameters: { axis: 'horizontal' | 'vertical' } };

export type Size = { width: number; height: number };

/** In the words of the API, where a cut is in pixels. */
export function toSteps({ cut, angle, isMirrored }: Edits, size: Size): Step[] {
  const steps: Step[] = [];
  if (cut) steps.push({ action: 'crop', parameters: toPixels(cut, size) });
  if (angle !== 0) steps.push({ action: 'rotate', parameters: { angle } });
  if (isMirrored) steps.push({ action: 'mirror', parameters: { axis: 'horizontal' } });
  return steps;
}

/** Whole pixels, at least one, and none outside. */
function toPixels(cut: Cut, size: Size): Cut {
  const [x, width] = span(cut.x, cut.width, size.width);
  const [y, height] = span(cut.y, cut.height, size.height);
  return { x, y, width, height };
}

function span(start: number, length: number, of: number): [number, number] {
  const first = Math.min(of - 1, Math.max(0, Math.round(start * of)));
  const end = Math.min(of, Math.max(first + 1, Math.round((start + length) * of)));
  return [first, end - first];
}

/** Returns the edits of steps in any order and number, as other programs may save them. */
export function toEdits(steps: readonly Step[], size: Size): Edits {
  let { cut, angle, isMirrored }: Edits = NO_EDITS;
  for (const step of steps) {
    if (step.action === 'crop') {
      const { x, y, width, height } = step.parameters;
      cut = {
        x: x / size.width,
        y: y / size.height,
        width: width / size.width,
        height: height / size.height,
      };
    } else if (step.action === 'rotate') {
      angle = turnAngle(angle, isMirrored ? -step.parameters.angle : step.parameters.angle);
    } else {
      isMirrored = !isMirrored;
      // Up and down is sideways and a half turn.
      if (step.parameters.axis === 'vertical') angle = turnAngle(angle, 180);
    }
  }
  return { cut, angle, isMirrored };
}

export const turnAngle = (angle: Edits['angle'], by: number): Edits['angle'] =>
  ((((angle + by) % 360) + 360) % 360) as Edits['angle'];

/** All that is done to a photo. */
export type PictureState = {
  edits: Edits;
  adjustments: Adjustments;
  /** In pixels, before the edits. */
  size: Size;
  /** The saved state has it: the server refuses a change of another one. */
  revision: string;
};

const toState = ({ edits, adjustments, size, revision }: PictureEditsResponse) => ({
  edits: toEdits(edits as Step[], size),
  adjustments,
  size,
  revision,
});

export const fetchState = async (id: string): Promise<PictureState> =>
  toState(await get<PictureEditsResponse>(`/assets/${id}/adjustments`));

/**
 * Returns the saved state. The pictures follow when the server has made them; unedited ones are there already.
 * Rejects with status 409 when `state` was changed elsewhere meanwhile.
 */
export const saveState = async (id: string, state: PictureState): Promise<PictureState> =>
  toState(
    await mutate(
      () =>
        put<PictureEditsResponse>(`/assets/${id}/adjustments`, {
          expectedRevision: state.revision,
          edits: toSteps(state.edits, state.size),
          adjustments: state.adjustments,
        }),
      { invalidates: [] },
    ),
  );
