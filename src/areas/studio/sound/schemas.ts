import { t } from 'elysia';
import { stringEnum } from '../../../http/schemas.ts';
import { SOUND_FORMATS } from './encoder.ts';

/** The time of the film from which on it is played, exactly, in seconds. */
export const SoundQuery = t.Object({
  numerator: t.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 }),
  denominator: t.Integer({ minimum: 1, maximum: 2_147_483_647, default: 1 }),
  format: stringEnum(SOUND_FORMATS, { title: 'StudioSoundFormat', default: 'webm' }),
});
