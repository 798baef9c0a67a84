import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { isInstant, parseInstant } from '../../../core/dates.ts';
import { type MediaType, getMediaType } from '../../../media/formats.ts';
import type { UploadFields } from '../form/fields.ts';
import { cleanFileName } from '../form/names.ts';
import { invalidInput, problem } from './problems.ts';

const NAME = 'Asset-Metadata';
const MAX_LENGTH = 12 * 1024;
/** Checked by parseInstant. */
const INSTANT = Type.String({ maxLength: 40 });

/** A closed set: what it does not name (a sidecar, another asset) cannot be smuggled in. */
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

/** What the header says, checked. Throws on everything that another reader could read differently. */
export function decodeMetadata(header: string | null): AssetUploadMetadata {
  if (header === null) throw invalidInput(NAME, `${NAME} is required`);
  if (header.length > MAX_LENGTH) throw invalidInput(NAME, `${NAME} is longer than 12 KiB`);
  const bytes = Buffer.from(header, 'base64url');
  if (!/^[\w-]+$/.test(header) || bytes.toString('base64url') !== header) {
    throw invalidInput(NAME, `${NAME} must be canonical base64url without padding`);
  }
  const given = parse(bytes);
  if (!validator.Check(given)) {
    const [first] = validator.Errors(given);
    throw invalidInput(pathOf(first), `${NAME}: ${first?.message ?? 'not an object'}`);
  }
  // PostgreSQL cannot store NUL in a text.
  if (JSON.stringify(given).includes('\\u0000')) {
    throw invalidInput(NAME, `${NAME} must not contain a NUL character`);
  }
  for (const name of ['fileCreatedAt', 'fileModifiedAt'] as const) {
    if (!isInstant(given[name])) {
      const message = `${name} must be an ISO 8601 date-time with an offset`;
      throw invalidInput(`${NAME}.${name}`, message);
    }
  }
  return given;
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    throw invalidInput(NAME, `${NAME} must be JSON in UTF-8`);
  }
}

type Wrong = {
  readonly instancePath: string;
  readonly params?: { readonly additionalProperties?: readonly string[] } & Record<string, unknown>;
};

function pathOf(wrong: unknown): string {
  const { instancePath = '', params } = (wrong ?? {}) as Partial<Wrong>;
  const names = [...instancePath.split('/').slice(1), ...(params?.additionalProperties ?? [])];
  const missing = params?.['requiredProperties'] as readonly string[] | undefined;
  return [NAME, ...names, ...(missing?.slice(0, 1) ?? [])].join('.');
}

/** As multipart uploads have them. */
export function fieldsOf(given: AssetUploadMetadata): UploadFields {
  const items = new Map(given.metadata?.map(({ key, value }) => [key, value as object]));
  return {
    fileCreatedAt: new Date(parseInstant(given.fileCreatedAt)!),
    fileModifiedAt: new Date(parseInstant(given.fileModifiedAt)!),
    fileName: given.filename,
    isFavorite: given.isFavorite === true || given.isFavorite === 'true',
    visibility: given.visibility ?? 'timeline',
    liveVideoId: undefined,
    metadata: [...items].map(([key, value]) => ({ key, value })),
    durationMs: given.duration || undefined,
  };
}

/** The name decides what the file is, here as everywhere else. */
export function nameAndType(given: AssetUploadMetadata): { fileName: string; type: MediaType } {
  const fileName = cleanFileName(given.filename);
  const type = getMediaType(fileName);
  if (type) return { fileName, type };
  throw problem('unsupportedMediaType', `Unsupported file type ${fileName}`, {
    code: 'unsupported_media_type',
  });
}
