import type { MetadataChange } from '../../../areas/metadata-changes/schemas.ts';
import { t } from '../../base/i18n.ts';

export type Position = { readonly latitude: number; readonly longitude: number };

/** The inputs of the dialog; texts as they are typed. */
export type Draft = {
  readonly date: 'keep' | 'set' | 'shift' | 'zone' | 'copy';
  readonly day: string;
  readonly time: string;
  readonly timeZone: string;
  readonly days: string;
  readonly hours: string;
  readonly minutes: string;
  readonly isEarlier: boolean;
  readonly keeps: 'clock' | 'instant';
  readonly place: 'keep' | 'set' | 'copy' | 'remove';
  readonly position: Position | undefined;
  /** The photo that date and place are copied from. */
  readonly source: string | undefined;
  readonly rating: string;
  readonly isDescribed: boolean;
  readonly description: string;
  readonly withStacks: boolean;
};

export const EMPTY: Draft = {
  date: 'keep',
  day: '',
  time: '',
  timeZone: '',
  days: '',
  hours: '',
  minutes: '',
  isEarlier: false,
  keeps: 'instant',
  place: 'keep',
  position: undefined,
  source: undefined,
  rating: '',
  isDescribed: false,
  description: '',
  withStacks: true,
};

export type Change = Omit<MetadataChange, 'assetIds'>;

const MINUTES = { days: 1440, hours: 60, minutes: 1 } as const;

/** Returns what is sent to the server; undefined while nothing is asked for. */
export function toChange(draft: Draft): Change | undefined {
  const date = toDate(draft);
  const place = toPlace(draft);
  const change: Change = {
    ...(date && { date }),
    ...(place && { place }),
    ...(draft.rating !== '' && { rating: Number(draft.rating) }),
    ...(draft.isDescribed && { description: draft.description }),
  };
  if (Object.keys(change).length === 0) return undefined;
  return { ...change, withStacks: draft.withStacks };
}

function toDate(draft: Draft): Change['date'] {
  const { day, time, source, keeps } = draft;
  const timeZone = draft.timeZone.trim();
  switch (draft.date) {
    case 'keep':
      return undefined;
    case 'copy':
      return source === undefined ? undefined : { kind: 'copy', assetId: source };
    case 'zone':
      return timeZone ? { kind: 'zone', timeZone, keeps } : undefined;
    case 'shift': {
      const minutes = countMinutes(draft);
      return minutes === 0 ? undefined : { kind: 'shift', minutes };
    }
    case 'set':
      if (!day && !time) return undefined;
      return {
        kind: 'set',
        ...(day && { day }),
        ...(time && { time }),
        ...(timeZone && { timeZone }),
      };
  }
}

function countMinutes(draft: Draft): number {
  const parts = (Object.keys(MINUTES) as (keyof typeof MINUTES)[]).map(
    (name) => (Math.abs(Math.trunc(Number(draft[name]))) || 0) * MINUTES[name],
  );
  const sum = parts.reduce((total, part) => total + part, 0);
  return draft.isEarlier && sum > 0 ? -sum : sum;
}

function toPlace({ place, position, source }: Draft): Change['place'] {
  switch (place) {
    case 'keep':
      return undefined;
    case 'remove':
      return { kind: 'remove' };
    case 'copy':
      return source === undefined ? undefined : { kind: 'copy', assetId: source };
    case 'set':
      return position && { kind: 'set', ...position };
  }
}

const FIELD_ERRORS: Readonly<Record<string, string>> = {
  'date.day': t('Date: choose a day that exists and is not in the future.'),
  'date.time': t('Time: this time does not exist on that day.'),
  'date.minutes': t('Shift: no date may come before the year 1 or into the future.'),
  'date.timeZone': t('Time zone: choose one such as Europe/Lisbon or +02:00.'),
  'date.assetId': t('The date of this photo cannot be copied.'),
  'place.assetId': t('The photo to copy from has no place.'),
};

/** Returns what a refusal says about a field, in the language of the page. */
export function findFieldError(fields: Readonly<Record<string, string>>): string | undefined {
  const name = Object.keys(fields).find((field) => FIELD_ERRORS[field] !== undefined);
  return name === undefined ? undefined : FIELD_ERRORS[name];
}
