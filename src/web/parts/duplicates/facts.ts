import { formatBytes, formatDay, formatDuration, formatTime } from '../../base/format.ts';
import type { Asset } from '../../data/types.ts';
import { t } from '../../base/i18n.ts';

/** One row of facts about the copies, side by side. */
export type Fact = {
  readonly name: string;
  /** The value of each copy; '' where it says nothing. */
  readonly values: readonly string[];
  /** Not the same for all. */
  readonly isDifferent: boolean;
  /** Copies that have more of it than others; none where more is not better. */
  readonly best: ReadonlySet<number>;
};

type Row = {
  readonly name: string;
  readonly text: (asset: Asset) => string;
  /** More is better. */
  readonly amount?: (asset: Asset) => number;
};

const ROWS: readonly Row[] = [
  {
    name: t('Size'),
    text: ({ exifInfo }) => formatBytes(exifInfo?.fileSizeInByte ?? 0),
    amount: ({ exifInfo }) => exifInfo?.fileSizeInByte ?? 0,
  },
  {
    name: t('Resolution'),
    text: ({ width, height }) => (width && height ? `${width} × ${height}` : ''),
    amount: ({ width, height }) => (width ?? 0) * (height ?? 0),
  },
  {
    name: t('Length'),
    text: ({ duration, type }) => (type === 'VIDEO' && duration ? formatDuration(duration) : ''),
  },
  { name: t('Format'), text: getFormat },
  { name: t('Taken'), text: formatTaken },
  { name: t('File'), text: ({ originalFileName }) => originalFileName },
  { name: t('Camera'), text: formatCamera },
  {
    name: t('Place'),
    text: ({ exifInfo }) =>
      [exifInfo?.city, exifInfo?.country].filter(Boolean).join(', ') ||
      (exifInfo?.latitude
        ? `${exifInfo.latitude.toFixed(3)}, ${exifInfo.longitude?.toFixed(3)}`
        : ''),
  },
  { name: t('Rating'), text: ({ exifInfo }) => '★'.repeat(Math.max(0, exifInfo?.rating ?? 0)) },
  { name: t('Favorite'), text: ({ isFavorite }) => (isFavorite ? t('Yes') : '') },
  { name: t('Text'), text: ({ exifInfo }) => exifInfo?.description ?? '' },
  { name: t('Tags'), text: ({ tags = [] }) => tags.map(({ value }) => value).join(', ') },
  {
    name: t('People'),
    text: ({ people = [] }) =>
      people
        .map(({ name }) => name)
        .filter(Boolean)
        .join(', '),
  },
  { name: t('Archive'), text: ({ isArchived }) => (isArchived ? t('Archived') : '') },
];

/** Returns the rows of facts; those that no copy has are left out. */
export function compareFacts(assets: readonly Asset[]): Fact[] {
  return ROWS.map(({ name, text, amount }) => {
    const values = assets.map(text);
    const isDifferent = new Set(values).size > 1;
    return { name, values, isDifferent, best: isDifferent && amount ? most(assets, amount) : NONE };
  }).filter(({ values }) => values.some((value) => value !== ''));
}

const NONE: ReadonlySet<number> = new Set();

function most(assets: readonly Asset[], amount: (asset: Asset) => number): ReadonlySet<number> {
  const amounts = assets.map(amount);
  const top = Math.max(...amounts);
  return new Set(amounts.flatMap((value, at) => (value === top ? [at] : [])));
}

/** 'image/jpeg' is a JPEG; what a camera calls it says more than its type where it has one of its own. */
function getFormat({ originalMimeType = '', originalFileName }: Asset): string {
  const type = originalMimeType.split('/')[1] ?? '';
  const ending = /\.([^.]+)$/.exec(originalFileName)?.[1];
  return (/^(x-|vnd|dng|octet)/.test(type) || !type ? (ending ?? type) : type).toUpperCase();
}

function formatTaken({ localDateTime }: Asset): string {
  const clock = new Date(localDateTime);
  return `${formatDay(clock)}, ${formatTime(clock)}`;
}

/** Many models begin with the name of their maker. */
function formatCamera({ exifInfo }: Asset): string {
  const { make, model } = { make: exifInfo?.make, model: exifInfo?.model };
  if (!make || !model) return model || make || '';
  const brand = make.toLowerCase().replace(/ .*/s, '');
  return model.toLowerCase().startsWith(brand) ? model : `${make} ${model}`;
}
