import { get, put, remove } from '../api.ts';

/** In pixels of the picture as it would be without a cut. */
export type Cut = { x: number; y: number; width: number; height: number };

/** What is done to a picture, in this order: a cut, a turn to the right in degrees, a mirror. */
export type Edits = {
  cut: Cut | undefined;
  angle: 0 | 90 | 180 | 270;
  isMirrored: boolean;
};

export const NO_EDITS: Edits = { cut: undefined, angle: 0, isMirrored: false };

type Step =
  | { action: 'crop'; parameters: Cut }
  | { action: 'rotate'; parameters: { angle: number } }
  | { action: 'mirror'; parameters: { axis: 'horizontal' | 'vertical' } };

export const stepsOf = ({ cut, angle, isMirrored }: Edits): Step[] => [
  ...(cut ? [{ action: 'crop' as const, parameters: cut }] : []),
  ...(angle === 0 ? [] : [{ action: 'rotate' as const, parameters: { angle } }]),
  ...(isMirrored
    ? [{ action: 'mirror' as const, parameters: { axis: 'horizontal' as const } }]
    : []),
];

/** Of steps that another client saved too: a mirror up and down is a half turn and one sideways. */
export function editsOf(steps: readonly Step[]): Edits {
  let { cut, angle, isMirrored }: Edits = NO_EDITS;
  for (const step of steps) {
    if (step.action === 'crop') cut = step.parameters;
    else if (step.action === 'rotate') {
      angle = turned(angle, isMirrored ? -step.parameters.angle : step.parameters.angle);
    } else {
      isMirrored = !isMirrored;
      if (step.parameters.axis === 'vertical') angle = turned(angle, 180);
    }
  }
  return { cut, angle, isMirrored };
}

export const turned = (angle: Edits['angle'], by: number): Edits['angle'] =>
  ((((angle + by) % 360) + 360) % 360) as Edits['angle'];

export const fetchEdits = async (id: string): Promise<Edits> =>
  editsOf((await get<{ edits: Step[] }>(`/assets/${id}/edits`)).edits);

export async function saveEdits(id: string, edits: Edits): Promise<void> {
  const steps = stepsOf(edits);
  if (steps.length === 0) await remove(`/assets/${id}/edits`);
  else await put(`/assets/${id}/edits`, { edits: steps });
}
