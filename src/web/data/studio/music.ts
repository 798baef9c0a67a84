import type { StudioDocument } from '../types.ts';
import { t } from '../../base/i18n.ts';

export type MusicTrack = NonNullable<StudioDocument['music']>['track'];

/** The music that a film may have, by its name. */
export const MUSIC: Readonly<Record<MusicTrack, string>> = {
  calm: t('Calm'),
  gentle: t('Gentle'),
  bright: t('Bright'),
};

/** Returns the music that a field of a form names. */
export const toMusicTrack = (value: string): MusicTrack | null =>
  value in MUSIC ? (value as MusicTrack) : null;
