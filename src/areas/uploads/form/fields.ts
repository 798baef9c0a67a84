import { parseInstant } from '../../../core/dates.ts';
import { invalidField } from '../../../core/errors.ts';

export type UploadFields = {
  readonly fileCreatedAt: Date;
  readonly fileModifiedAt: Date;
  readonly fileName: string | undefined;
  readonly isFavorite: boolean;
  readonly visibility: 'timeline' | 'archive' | 'hidden' | 'locked';
  readonly liveVideoId: string | undefined;
  readonly metadata: readonly { readonly key: string; readonly value: object }[];
  readonly durationMs: number | undefined;
};

type Texts = ReadonlyMap<string, string>;

/** Clients send empty text for what they do not know. */
const textOf = (fields: Texts, name: string): string | undefined =>
  fields.get(name)?.trim() || undefined;

export const fileNameField = (fields: Texts): string | undefined => textOf(fields, 'filename');

/** Reads the text fields of an upload and ignores those it does not know. Throws on a wrong one. */
export const readFields = (fields: Texts): UploadFields => ({
  fileCreatedAt: instantOf(fields, 'fileCreatedAt'),
  fileModifiedAt: instantOf(fields, 'fileModifiedAt'),
  fileName: fileNameField(fields),
  isFavorite: flagOf(fields, 'isFavorite'),
  visibility: visibilityOf(fields),
  liveVideoId: liveVideoIdOf(fields),
  metadata: metadataOf(fields),
  durationMs: durationOf(fields),
});

function instantOf(fields: Texts, name: string): Date {
  const text = textOf(fields, name);
  if (!text) throw invalidField(name, `${name} is required`);
  const time = parseInstant(text);
  if (time !== undefined) return new Date(time);
  throw invalidField(
    name,
    `${name} must be an ISO 8601 date-time with an offset, not '${text.slice(0, 40)}'`,
  );
}

function flagOf(fields: Texts, name: string): boolean {
  const text = textOf(fields, name)?.toLowerCase();
  if (text === undefined || text === 'false') return false;
  if (text === 'true') return true;
  throw invalidField(name, `${name} must be true or false`);
}

const VISIBILITIES = ['timeline', 'archive', 'hidden', 'locked'] as const;

function visibilityOf(fields: Texts): UploadFields['visibility'] {
  const text = textOf(fields, 'visibility');
  if (text === undefined) return 'timeline';
  const found = VISIBILITIES.find((candidate) => candidate === text);
  if (found) return found;
  throw invalidField('visibility', `visibility must be one of ${VISIBILITIES.join(', ')}`);
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

function liveVideoIdOf(fields: Texts): string | undefined {
  const text = textOf(fields, 'livePhotoVideoId');
  if (text === undefined || UUID.test(text)) return text?.toLowerCase();
  throw invalidField('livePhotoVideoId', 'livePhotoVideoId must be a UUID');
}

/** Milliseconds, or the clock that older tools send: '00:01:02.500000'. Zero means unknown. */
function durationOf(fields: Texts): number | undefined {
  const text = textOf(fields, 'duration');
  if (text === undefined) return undefined;
  const clock = /^(\d{1,4}):([0-5]?\d):([0-5]?\d(?:\.\d+)?)$/.exec(text);
  const ms = clock
    ? Math.round((Number(clock[1]) * 3600 + Number(clock[2]) * 60 + Number(clock[3])) * 1000)
    : Math.round(/^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN);
  if (!(ms < 2 ** 31)) throw invalidField('duration', 'duration must be milliseconds');
  return ms || undefined;
}

function metadataOf(fields: Texts): UploadFields['metadata'] {
  const text = textOf(fields, 'metadata');
  if (text === undefined) return [];
  const wrong = invalidField('metadata', 'metadata must be a JSON array of {key, value}');
  let items: unknown;
  try {
    items = JSON.parse(text);
  } catch {
    throw wrong;
  }
  if (!Array.isArray(items) || items.length > 100) throw wrong;
  const byKey = new Map<string, object>();
  for (const item of items as unknown[]) {
    if (!isRecord(item)) throw wrong;
    const { key, value } = item;
    if (typeof key !== 'string' || key === '' || key.length > 200 || !isRecord(value)) throw wrong;
    // PostgreSQL cannot store NUL in a text.
    if (JSON.stringify([key, value]).includes('\\u0000')) throw wrong;
    byKey.set(key, value);
  }
  return [...byKey].map(([key, value]) => ({ key, value }));
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
