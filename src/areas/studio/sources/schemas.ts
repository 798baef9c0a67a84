import { t } from 'elysia';
import { stringEnum, Uuid } from '../../../http/schemas.ts';

const StudioStripDto = t.Object(
  {
    /** They lie side by side in one picture. */
    frames: t.Integer({ minimum: 1 }),
    /** From one frame to the next. */
    secondsPerFrame: t.Number({ exclusiveMinimum: 0 }),
    /** Pixels of a frame. */
    width: t.Integer({ minimum: 1 }),
    height: t.Integer({ minimum: 1 }),
  },
  { title: 'StudioStripDto' },
);

const StudioWaveformDto = t.Object(
  {
    peaksPerSecond: t.Number({ exclusiveMinimum: 0 }),
    /** The loudest of each moment, 0 to 255. */
    peaks: t.Array(t.Integer({ minimum: 0, maximum: 255 })),
  },
  { title: 'StudioWaveformDto' },
);

export const StudioSourceDto = t.Object(
  {
    state: stringEnum(['preparing', 'ready'], { title: 'StudioSourceState' }),
    /** Null: not ready, or there is no picture. */
    strip: t.Nullable(StudioStripDto),
    /** Null: not ready, or there is no sound. */
    waveform: t.Nullable(StudioWaveformDto),
  },
  { title: 'StudioSourceDto' },
);
export type StudioSource = typeof StudioSourceDto.static;

/** The asset. */
export const SourceParams = t.Object({ id: Uuid });
