import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { isInstant, parseInstant } from '../../../core/dates.ts';
import { requireValue } from '../../../core/required.ts';
import { findUnstorable, NOT_STORABLE } from '../../../http/text-check.ts';
import { type MediaType, getMediaType, toSafeFileName } from '../../../media/formats.ts';
import type { UploadFields } from '../form/fields.ts';
import { invalidInput, problem } from './responses.ts';

const HEADER = 'Asset-Metadata';
const MAX_LENGTH = 12 * 1024;
/** Validated by `parseInstant`. */
const INSTANT = Type.String({ maxLength: 40 });

/** No additional properties: a sidecar or another asset cannot be referenced. */
const AssetUploadMetadata = Type.Object(
  {
    filename: Type.String({ minLength: 1, maxLength: 255, pattern: '^[^/\\\\\\u0000]*$' }),
    fileCreatedAt: INSTANT,
    fileModifiedAt: INSTANT,
    /** Milliseconds. */
    duration: Type.Optional(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 })),
    isFavorite: Type.Optional(
      Type.Union([Type.Boolean(), Type.Literal('true'), Type.Literal('false')]),
    ),
    visibility: Type.Optional(
      Type.Union([
        Type.Literal('archive'),
        Type.Literal('timeline'),
        Type.Literal('hidden'),
        Type.Literal('locked'),
      ]),
    ),
    metadata: Type.Optional(
      Type.Array(
        Type.Object(
          {
            key: Type.String({ minLength: 1, maxLength: 200 }),
            value: Type.Record(Type.String(), Type.Unknown()),
          },
          { additionalProperties: false },
        ),
        { maxItems: 100 },
      ),
    ),
    publication: Type.Optional(Type.Union([Type.Literal('immediate'), Type.Literal('live-photo')])),
  },
  { additionalProperties: false },
);
export type AssetUploadMetadata = Static<typeof AssetUploadMetadata>;

const validator = Compile(AssetUploadMetadata);

/**
 * Parses the Asset-Metadata header: canonical base64url of JSON. Throws 400 for anything that another
 * parser could read differently.
 */
export function parseAssetMetadata(header: string | null): AssetUploadMetadata {
  if (header === null) throw invalidInput(HEADER, `${HEADER} is required`);
  if (header.length > MAX_LENGTH) throw invalidInput(HEADER, `${HEADER} is longer than 12 KiB`);
  const bytes = Buffer.from(header, 'base64url');
  if (!/^[\w-]+$/.test(header) || bytes.toString('base64url') !== header) {
    throw invalidInput(HEADER, `${HEADER} must be canonical base64url without padding`);
  }
  const metadata = parseJson(bytes);
  if (!validator.Check(metadata)) {
    const [first] = validator.Errors(metadata);
    throw invalidInput(getErrorPath(first), `${HEADER}: ${first?.message ?? 'not an object'}`);
  }
  const unstorable = findUnstorable(metadata);
  if (unstorable) {
    const path = [HEADER, ...unstorable].join('.');
    throw invalidInput(path, `${path} ${NOT_STORABLE}`);
  }
  for (const name of ['fileCreatedAt', 'fileModifiedAt'] as const) {
    if (!isInstant(metadata[name])) {
      const message = `${name} must be an ISO 8601 date-time with an offset`;
      throw invalidInput(`${HEADER}.${name}`, message);
    }
  }
  return metadata;
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    throw invalidInput(HEADER, `${HEADER} must be JSON in UTF-8`);
  }
}

type ValidationError = {
  readonly instancePath: string;
  readonly params?: { readonly additionalProperties?: readonly string[] } & Record<string, unknown>;
};

function getErrorPath(wrong: unknown): string {
  const { instancePath = '', params } = (wrong ?? {}) as Partial<ValidationError>;
  const names = [...instancePath.split('/').slice(1), ...(params?.additionalProperties ?? [])];
  const missing = params?.['requiredProperties'] as readonly string[] | undefined;
  return [HEADER, ...names, ...(missing?.slice(0, 1) ?? [])].join('.');
}

/** Converts to the fields of form uploads. */
export function toUploadFields(metadata: AssetUploadMetadata): UploadFields {
  const items = new Map(metadata.metadata?.map(({ key, value }) => [key, value as object]));
  return {
    fileCreatedAt: toDate(metadata.fileCreatedAt),
    fileModifiedAt: toDate(metadata.fileModifiedAt),
    fileName: metadata.filename,
    isFavorite: metadata.isFavorite === true || metadata.isFavorite === 'true',
    visibility: metadata.visibility ?? 'timeline',
    liveVideoId: undefined,
    metadata: [...items].map(([key, value]) => ({ key, value })),
    durationMs: metadata.duration || undefined,
  };
}

const toDate = (instant: string): Date => new Date(requireValue(parseInstant(instant), 'instant'));

/** Returns the file name and the media type by its extension. Throws 415. */
export function getNameAndType(metadata: AssetUploadMetadata): {
  fileName: string;
  type: MediaType;
} {
  const fileName = toSafeFileName(metadata.filename);
  const type = getMediaType(fileName);
  if (type) return { fileName, type };
  throw problem('unsupportedMediaType', `Unsupported file type ${fileName}`, {
    code: 'unsupported_media_type',
  });
}
