import { parseInstant } from '../../../core/dates.ts';
import { invalidField, invalidOption } from '../../../core/errors.ts';
import { findUnstorable } from '../../../http/text-check.ts';

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

type TextFields = ReadonlyMap<string, string>;

export const getFileName = (fields: TextFields): string | undefined =>
  fields.get('filename')?.trim() || undefined;

/** Parses the text fields of an upload and ignores unknown ones. Throws 400 for an invalid one. */
export const parseUploadFields = (texts: TextFields): UploadFields => ({
  fileCreatedAt: parseInstantField(texts, 'fileCreatedAt'),
  fileModifiedAt: parseInstantField(texts, 'fileModifiedAt'),
  fileName: getFileName(texts),
  isFavorite: parseFlag(texts, 'isFavorite'),
  visibility: parseVisibility(texts),
  liveVideoId: parseLiveVideoId(texts),
  metadata: parseMetadata(texts),
  durationMs: parseDuration(texts),
});

function parseInstantField(fields: TextFields, name: string): Date {
  const text = fields.get(name);
  const time = text === undefined ? undefined : parseInstant(text);
  if (time !== undefined) return new Date(time);
  const message = `Invalid input: expected ISO 8601 datetime string, received ${typeof text}`;
  throw invalidField(name, message, text === undefined ? 'invalid_type' : 'invalid_format');
}

function parseFlag(fields: TextFields, name: string): boolean {
  const text = fields.get(name);
  if (text === undefined || text === 'false') return false;
  if (text === 'true') return true;
  throw invalidOption(name, ['true', 'false']);
}

const VISIBILITIES = ['archive', 'timeline', 'hidden', 'locked'] as const;

function parseVisibility(fields: TextFields): UploadFields['visibility'] {
  const text = fields.get('visibility');
  if (text === undefined) return 'timeline';
  const found = VISIBILITIES.find((candidate) => candidate === text);
  if (found) return found;
  throw invalidOption('visibility', VISIBILITIES);
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

function parseLiveVideoId(fields: TextFields): string | undefined {
  const text = fields.get('livePhotoVideoId');
  if (text === undefined || UUID.test(text)) return text?.toLowerCase();
  throw invalidField('livePhotoVideoId', 'Invalid UUID', 'invalid_format');
}

/** Returns milliseconds from '62500' or from older tools' '00:01:02.500000'; undefined for zero. */
function parseDuration(fields: TextFields): number | undefined {
  const text = fields.get('duration');
  if (text === undefined) return undefined;
  const clock = /^(\d{1,4}):([0-5]?\d):([0-5]?\d(?:\.\d+)?)$/.exec(text);
  const ms = clock
    ? Math.round((Number(clock[1]) * 3600 + Number(clock[2]) * 60 + Number(clock[3])) * 1000)
    : /^\d+$/.test(text)
      ? Number(text)
      : Number.NaN;
  if (!(ms < 2 ** 31)) throw invalidField('duration', 'duration must be milliseconds');
  return ms || undefined;
}

function parseMetadata(fields: TextFields): UploadFields['metadata'] {
  const text = fields.get('metadata');
  if (text === undefined) return [];
  const invalid = invalidField('metadata', 'metadata must be a JSON array of {key, value}');
  let items: unknown;
  try {
    items = JSON.parse(text);
  } catch {
    const message = 'Invalid input: expected JSON string, received string';
    throw invalidField('metadata', message, 'invalid_format');
  }
  if (!Array.isArray(items) || items.length > 100) throw invalid;
  const byKey = new Map<string, object>();
  for (const item of items as unknown[]) {
    if (!isRecord(item)) throw invalid;
    const { key, value } = item;
    if (typeof key !== 'string' || key === '' || key.length > 200 || !isRecord(value))
      throw invalid;
    if (findUnstorable([key, value])) throw invalid;
    byKey.set(key, value);
  }
  return [...byKey].map(([key, value]) => ({ key, value }));
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
