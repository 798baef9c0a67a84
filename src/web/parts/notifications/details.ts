import { findText } from '../../base/error-texts.ts';
import { formatBytes } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import type { Notification } from '../../data/types.ts';
import { getJobTitle } from '../admin/job-titles.ts';

/** The data of a notification; each member may be missing or of another type. */
export type Data = Readonly<Record<string, unknown>>;

/** Returns what a notification says below its title in the language of the page, else in the words of the server. */
export function describeDetails({ description, data = {} }: Notification): string | undefined {
  const kind = readText(data, 'kind') ?? '';
  return DETAILS[kind]?.(data) ?? describeError(kind, description, data);
}

/** Returns a member of the data if it is a text that is not empty. */
export function readText(data: Data, name: string): string | undefined {
  const value = data[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns a member of the data if it is a number above 0. */
function readCount(data: Data, name: string): number | undefined {
  const value = data[name];
  return typeof value === 'number' && value > 0 ? value : undefined;
}

const DETAILS: Readonly<Record<string, (data: Data) => string | undefined>> = {
  clusterGroupRequest: (data) => {
    const name = readText(data, 'senderName');
    return name && t('From {name}', { name });
  },
  diskSpace: (data) => {
    const [size, reserve] = [readCount(data, 'sizeBytes'), readCount(data, 'reserveBytes')];
    if (size === undefined || reserve === undefined) return undefined;
    return t('{available} of {size} are free. Uploads stop at {reserve}.', {
      available: formatBytes(readCount(data, 'availableBytes') ?? 0),
      size: formatBytes(size),
      reserve: formatBytes(reserve),
    });
  },
  importFinished: (data) => {
    const count = readCount(data, 'count');
    if (count === undefined) return undefined;
    return t('{count, plural, one {# new item} other {# new items}}', { count });
  },
  integrity: describeFindings,
  newLogin: (data) => {
    const parts = [readText(data, 'deviceType'), readText(data, 'deviceOs')];
    const device = parts.filter((part) => part !== undefined).join(', ');
    return device ? t('From a new device: {device}', { device }) : t('From a new device');
  },
};

function describeFindings(data: Data): string | undefined {
  const days = readCount(data, 'uncountedDays');
  if (days) {
    return t(
      'The clock moved ahead by {days, plural, one {# day} other {# days}}. The trash is kept that much longer.',
      { days },
    );
  }
  const files = readCount(data, 'files');
  if (files) {
    return t(
      '{count, plural, one {# file is} other {# files are}} gone. Nothing was changed. If you deleted them, confirm it.',
      { count: files },
    );
  }
  const untracked = readCount(data, 'untracked');
  if (untracked) {
    return t(
      '{count, plural, one {# file in the data folder belongs to no photo} other {# files in the data folder belong to no photo}}',
      { count: untracked },
    );
  }
  const [damaged, unreadable] = [readCount(data, 'damaged'), readCount(data, 'unreadable')];
  const sentences = [
    damaged &&
      t(
        '{count, plural, one {# original is missing or damaged. Upload it again.} other {# originals are missing or damaged. Upload them again.}}',
        { count: damaged },
      ),
    unreadable &&
      t('{count, plural, one {# original cannot be read.} other {# originals cannot be read.}}', {
        count: unreadable,
      }),
  ];
  return sentences.filter(Boolean).join(' ') || undefined;
}

/** Words of the server before an error, which the title says already. A job has the name that it has in the code. */
const BEFORE_ERROR =
  /^(?:Job .+? failed with error|Jobs .+? wait until the machine can run them|The backup of the database failed with error): /;

function describeError(kind: string, description: string | undefined, data: Data) {
  if (!description) return undefined;
  const error = description.replace(BEFORE_ERROR, '');
  const text = findText(error) ?? error;
  const job = kind === 'jobFailed' ? readText(data, 'name') : undefined;
  return job ? `${getJobTitle(job)}: ${text}` : text;
}
