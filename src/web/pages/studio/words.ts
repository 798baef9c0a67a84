import { compare, ZERO } from '../../../core/rational.ts';
import { t } from '../../base/i18n.ts';
import type { StudioStream } from '../../data/types.ts';
import type { SplitRefusal } from './edits.ts';
import { type Film, getFilmLength } from './film.ts';
import type { SaveState } from './saver.ts';
import type { TrackRefusal } from './tracks.ts';

export const STATUS: Readonly<Record<SaveState['status'], string>> = {
  saved: t('Saved'),
  unsaved: t('Saving …'),
  failed: t('Not saved'),
  conflict: t('Changed elsewhere'),
};

export const SPLIT_REFUSALS: Readonly<Record<SplitRefusal, string>> = {
  outside: t('Move the playhead to where the selected clip or title shows.'),
  mixed: t(
    'Two clips are mixed here. Split one where it shows alone, or remove the crossfade first.',
  ),
  full: t('The film holds no more clips or titles.'),
};

export const TRACK_REFUSALS: Readonly<Record<TrackRefusal, string>> = {
  trackless: t('Only clips lie on tracks.'),
  outermost: t('There is no further track.'),
  taken: t('There is no room for it on that track at this time.'),
};

/** Says why a film cannot be played or exported; undefined if it shows something. */
export function describeEmptiness(film: Film): string | undefined {
  if (compare(getFilmLength(film), ZERO) > 0) return undefined;
  return film.sounds.length > 0
    ? t('A film lasts as long as its clips and titles: add one to hear its sounds.')
    : t('Add a clip or a title first.');
}

/** Says why the server has ended the playing. */
export const describeEnd = (reason: StudioStream['closeReason']): string =>
  (reason && END_REASONS[reason]) ?? t('The film could not be played.');

const END_REASONS: Partial<Record<NonNullable<StudioStream['closeReason']>, string>> = {
  superseded: t('The film is played in another window.'),
  'revision-superseded': t('The film was changed.'),
  'access-lost': t('You may no longer watch this film.'),
  'source-unavailable': t('An item of the film is not available.'),
};
