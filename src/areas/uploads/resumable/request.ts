import { type AssetUploadMetadata, decodeMetadata, nameAndType } from './asset-metadata.ts';
import { uploadLimits } from '../limits.ts';
import {
  type HeaderValues,
  inconsistentLength,
  invalidDigest,
  invalidInput,
  problem,
  unsupportedAlgorithms,
} from './problems.ts';
import { parseBoolean, parseBytes, parseInteger } from './structured.ts';

// What a request of the resumable protocol says in its headers, checked as far as that needs no
// knowledge of the upload.

/** The one version of draft-ietf-httpbis-resumable-upload that is spoken here. */
export const INTEROP_VERSION = '9';

export type Digest = { readonly algorithm: 'sha-256' | 'sha-512'; readonly value: Uint8Array };

/** The part about the content, which POST and PATCH share. */
export type Content = {
  /** The bytes of this request are the last ones. */
  readonly isLast: boolean;
  /** Of the whole file, as the client says. */
  readonly length: number | undefined;
  /** Of this request; undefined: the client does not know, and sends chunks. */
  readonly contentLength: number | undefined;
  readonly digest: Digest | undefined;
  /** The client can read 104 answers. */
  readonly speaksDraft: boolean;
};

export type Creation = Content & {
  readonly sha256: Uint8Array;
  readonly mediaType: string;
  readonly metadata: AssetUploadMetadata;
};

export type Append = Content & { readonly offset: number };

/** Without these a client would lose an upload that it was promised. */
const maxSize = () => ({ 'upload-limit': `max-size=${uploadLimits().maxBytes}` });

export function readCreation(headers: Headers): Creation {
  const speaksDraft = readVersion(headers);
  if (!speaksDraft) {
    const name = 'Upload-Draft-Interop-Version';
    throw invalidInput(name, `${name} must be ${INTEROP_VERSION}`);
  }
  const mediaType = readMediaType(headers);
  const content = readContent(headers, speaksDraft);
  if (content.isLast && content.contentLength === 0) {
    throw invalidInput('Content-Length', 'The file is empty');
  }
  const { isLast, length, contentLength } = content;
  if (length !== undefined && contentLength !== undefined) {
    if (isLast ? length !== contentLength : contentLength > length) {
      throw inconsistentLength('Content-Length contradicts Upload-Length');
    }
  }
  const metadata = decodeMetadata(headers.get('asset-metadata'));
  nameAndType(metadata);
  return { ...content, sha256: readReprDigest(headers), mediaType, metadata };
}

export function readAppend(headers: Headers): Append {
  const speaksDraft = readVersion(headers);
  const type = headers.get('content-type') ?? '';
  if (!/^application\/partial-upload\s*(;|$)/i.test(type)) {
    throw unsupported('PATCH takes application/partial-upload', {
      'accept-patch': 'application/partial-upload',
    });
  }
  const offset = parseInteger(headers.get('upload-offset'));
  if (offset === undefined || offset < 0) {
    throw invalidInput('Upload-Offset', 'Upload-Offset must be a whole number of bytes');
  }
  return { ...readContent(headers, speaksDraft), offset };
}

/** For requests without content: another version is refused, none at all is not. */
export function readVersion(headers: Headers): boolean {
  const name = 'Upload-Draft-Interop-Version';
  const given = headers.get(name);
  if (given === null) return false;
  if (parseInteger(given) === Number(INTEROP_VERSION)) return true;
  throw invalidInput(name, `${name} must be ${INTEROP_VERSION}`);
}

function readContent(headers: Headers, speaksDraft: boolean): Content {
  refuseEncoding(headers);
  const isLast = parseBoolean(headers.get('upload-complete'));
  if (isLast === undefined) {
    throw invalidInput('Upload-Complete', 'Upload-Complete must be ?0 or ?1');
  }
  const length = readLength(headers);
  const contentLength = readContentLength(headers);
  if ((contentLength ?? 0) > uploadLimits().maxBytes) throw tooLarge();
  return { isLast, length, contentLength, digest: readContentDigest(headers), speaksDraft };
}

/** Nothing has a length of its own if neither header says that something comes. */
function readContentLength(headers: Headers): number | undefined {
  const given = headers.get('content-length');
  if (given !== null) return Number(given);
  return headers.has('transfer-encoding') ? undefined : 0;
}

function readLength(headers: Headers): number | undefined {
  const given = headers.get('upload-length');
  if (given === null) return undefined;
  const length = parseInteger(given);
  if (length === undefined || length < 1) {
    throw invalidInput('Upload-Length', 'Upload-Length must be a whole number of bytes, 1 or more');
  }
  if (length > uploadLimits().maxBytes) throw tooLarge();
  return length;
}

export const tooLarge = () =>
  problem('tooLarge', `A file may have ${uploadLimits().maxBytes} bytes`, {
    code: 'validation_failed',
    headers: maxSize(),
    members: {
      errors: [{ code: 'too_big', path: ['Upload-Length'], message: 'The file is too large' }],
    },
  });

function readMediaType(headers: Headers): string {
  const [type] = (headers.get('content-type') ?? '').split(';');
  const name = type!.trim().toLowerCase();
  if (/^(audio|image|video)\/[\w.+-]{1,100}$/.test(name)) return name;
  throw unsupported('The Content-Type must be audio, image or video');
}

/** Offsets count coded bytes, and the digest of the file those that are stored: they must be one. */
function refuseEncoding(headers: Headers): void {
  const coding = headers.get('content-encoding');
  if (coding === null || /^\s*identity\s*$/i.test(coding)) return;
  throw unsupported('Content must come without Content-Encoding', {
    'accept-encoding': 'identity',
  });
}

const unsupported = (message: string, headers: HeaderValues = {}) =>
  problem('unsupportedMediaType', message, { code: 'unsupported_media_type', headers });

function readReprDigest(headers: Headers): Uint8Array {
  const name = 'Repr-Digest';
  const given = headers.get(name);
  if (given === null) throw invalidInput(name, `${name} is required`);
  const members = parseBytes(given);
  if (!members) throw invalidDigest(name, 'sha-256', 'not a dictionary of byte sequences');
  const others = [...members.keys()].filter((algorithm) => algorithm !== 'sha-256');
  if (others.length > 0) throw unsupportedAlgorithms(name, others);
  return checkedDigest(name, 'sha-256', members.get('sha-256'));
}

const SIZES = { 'sha-256': 32, 'sha-512': 64 } as const;

/** One that we can compute; the others are then beside the point. */
function readContentDigest(headers: Headers): Digest | undefined {
  const name = 'Content-Digest';
  const given = headers.get(name);
  if (given === null) return undefined;
  const members = parseBytes(given);
  if (!members) throw invalidDigest(name, 'sha-256', 'not a dictionary of byte sequences');
  const algorithm = (['sha-256', 'sha-512'] as const).find((known) => members.has(known));
  if (!algorithm) throw unsupportedAlgorithms(name, [...members.keys()]);
  return { algorithm, value: checkedDigest(name, algorithm, members.get(algorithm)) };
}

function checkedDigest(
  name: 'Repr-Digest' | 'Content-Digest',
  algorithm: keyof typeof SIZES,
  value: Uint8Array | undefined,
): Uint8Array {
  if (!value) throw invalidDigest(name, algorithm, 'the value is not a byte sequence');
  const size = SIZES[algorithm];
  if (value.length === size) return value;
  throw invalidDigest(name, algorithm, `the value is not ${size} bytes long`);
}
