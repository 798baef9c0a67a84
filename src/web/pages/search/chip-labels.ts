import {
  formatDay,
  formatDuration,
  formatMonth,
  formatMonthDay,
  formatMonthName,
} from '../../base/format.ts';
import type { CaptureType } from '../../../areas/assets/index.ts';
import { UNNAMED_PERSON } from '../../data/people/people-data.ts';
import { t } from '../../base/i18n.ts';
import type { Chip, Query } from '../../data/search/query.ts';

const KINDS: Readonly<Record<string, string>> = {
  VIDEO: t('Videos'),
  AUDIO: t('Audio'),
  OTHER: t('Other'),
};

const CAPTURE_TYPES: Readonly<Record<CaptureType, string>> = {
  screenshot: t('Screenshots'),
  screenRecording: t('Screen recordings'),
  selfie: t('Selfies'),
  panorama: t('Panoramas'),
  burst: t('Bursts'),
  raw: t('Raw photos'),
  slowMotion: t('Slow motion'),
  animation: t('Animations'),
};

const isExclusion = (value: unknown): value is { none?: unknown[]; notIn?: unknown[] } =>
  typeof value === 'object' && value !== null && ('none' in value || 'notIn' in value);

/** Returns whether the chip says what must not be. */
export const isExcluding = ({ value }: Chip): boolean => isExclusion(value);

export const MAX_NAME = 100;

/** Returns a name of a search, of at most `MAX_NAME` characters. */
export const suggestName = ({ words, chosen }: Query): string =>
  [words, ...chosen.map(getLabel)].filter(Boolean).join(' · ').slice(0, MAX_NAME);

/** As a person says it. */
export function getLabel(chip: Chip): string {
  const { label, value } = chip;
  if (!isExclusion(value)) return getPlainLabel(chip);
  const [excluded] = value.none ?? value.notIn ?? [];
  const plain = { ...chip, value: excluded, label: label.replace(/^not /, '') };
  return t('Without: {label}', { label: getPlainLabel(plain) });
}

function getPlainLabel({ field, label, value }: Chip): string {
  if (field === 'captureTypes') return CAPTURE_TYPES[value as CaptureType];
  if (field === 'duration') return getDurationLabel(value as Readonly<Record<string, number>>);
  if (field === 'birthday') return t('Birthday: {name}', { name: label });
  if (field === 'takenOn') return getAnnualLabel(label);
  if (field === 'year') return t('Any year');
  if (field === 'isEdited') return value ? t('Edited') : t('Not edited');
  if (field === 'isOwn') return t('Taken by me');
  if (field === 'type') return KINDS[String(value)] ?? t('Photos');
  if (field === 'isFavorite') return value ? t('Favorites') : t('No favorites');
  if (field === 'isDamaged') return t('Partly damaged');
  if (field === 'isMotion') return t('Live photos');
  if (field === 'visibility') return t('In the archive');
  if (field === 'isNotInAlbum') return t('In no album');
  if (field === 'personIds' && !label) return UNNAMED_PERSON;
  if (field !== 'takenAt') return label;
  const dated = (text: string) => {
    if (/^\d{4}-\d\d$/.test(text)) return formatMonth(text);
    return /^\d{4}-\d\d-\d\d$/.test(text) ? formatDay(new Date(text)) : text;
  };
  const [since, until] = [/^(.+) –$/.exec(label)?.[1], /^– (.+)$/.exec(label)?.[1]];
  if (since) return t('since {day}', { day: dated(since) });
  if (until) return t('until {day}', { day: dated(until) });
  return label.split(' – ').map(dated).join(' – ');
}

/** '08' as 'August', '08-24' as '24 August', a range as both its ends, other words as they are. */
const getAnnualLabel = (label: string): string =>
  label
    .split(' – ')
    .map((name) => {
      if (!/^\d\d(?:-\d\d)?$/.test(name)) return name;
      return name.length === 2 ? formatMonthName(name) : formatMonthDay(name);
    })
    .join(' – ');

function getDurationLabel({ gt, gte, lt, lte }: Readonly<Record<string, number>>): string {
  if (gt !== undefined) return t('Longer than {duration}', { duration: formatDuration(gt) });
  if (lt !== undefined) return t('Shorter than {duration}', { duration: formatDuration(lt) });
  if (gte !== undefined) return t('At least {duration} long', { duration: formatDuration(gte) });
  return t('At most {duration} long', { duration: formatDuration(lte ?? 0) });
}
