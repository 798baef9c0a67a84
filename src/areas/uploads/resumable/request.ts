import { type AssetUploadMetadata, parseAssetMetadata, getNameAndType } from './asset-metadata.ts';
import {
  getUploadLimits,
  type HeaderValues,
  inconsistentLength,
  invalidDigest,
  INTEROP_VERSION,
  invalidInput,
  problem,
  requireSize,
  unsupportedAlgorithms,
} from './responses.ts';
import { isItem, parseBoolean, parseByteDictionary, parseInteger } from './structured-fields.ts';

// Parses the headers of the resumable upload protocol (draft-ietf-httpbis-resumable-upload-12) and
// validates what does not depend on the upload's state.

export type Digest = { readonly algorithm: 'sha-256' | 'sha-512'; readonly value: Uint8Array };

/** Headers about the content, common to POST and PATCH. */
export type ContentHeaders = {
  /** Upload-Complete: this request has the last bytes. */
  readonly isLast: boolean;
  /** Upload-Length: bytes of the whole file. */
  readonly length: number | undefined;
  /** Bytes of this request; undefined with chunked transfer coding. */
  readonly contentLength: number | undefined;
  readonly digest: Digest | undefined;
  /** The client understands 104 responses. */
  readonly supportsInterim: boolean;
};

export type CreateRequest = ContentHeaders & {
  readonly sha256: Uint8Array;
  readonly mediaType: string;
  readonly metadata: AssetUploadMetadata;
};

export type AppendRequest = ContentHeaders & { readonly offset: number };

export function parseCreation(headers: Headers): CreateRequest {
  const speaksDraft = parseInteropVersion(headers);
  if (!speaksDraft) {
    const name = 'Upload-Draft-Interop-Version';
    throw invalidInput(name, `${name} must be ${INTEROP_VERSION}`);
  }
  const mediaType = parseMediaType(headers);
  const content = parseContent(headers, speaksDraft);
  const { isLast, length, contentLength } = content;
  requireSize(contentLength, getUploadLimits().maxAnnouncedBytes);
  if (isLast && contentLength === 0) {
    throw invalidInput('Content-Length', 'The file is empty');
  }
  if (length !== undefined && contentLength !== undefined) {
    if (isLast ? length !== contentLength : contentLength > length) {
      throw inconsistentLength('Content-Length contradicts Upload-Length');
    }
  }
  const metadata = parseAssetMetadata(headers.get('asset-metadata'));
  getNameAndType(metadata);
  return { ...content, sha256: parseReprDigest(headers), mediaType, metadata };
}

export function parseAppend(headers: Headers): AppendRequest {
  const speaksDraft = parseInteropVersion(headers);
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
  return { ...parseContent(headers, speaksDraft), offset };
}

/** A field that fails to parse is ignored (RFC 9651 §4.2). */
function getItem(headers: Headers, name: string): string | null {
  const given = headers.get(name);
  return given !== null && isItem(given) ? given : null;
}

/** Returns whether the header has our version, false without one. Throws 400 for another version. */
export function parseInteropVersion(headers: Headers): boolean {
  const name = 'Upload-Draft-Interop-Version';
  const given = getItem(headers, name);
  if (given === null) return false;
  if (parseInteger(given) === Number(INTEROP_VERSION)) return true;
  throw invalidInput(name, `${name} must be ${INTEROP_VERSION}`);
}

function parseContent(headers: Headers, speaksDraft: boolean): ContentHeaders {
  requireNoEncoding(headers);
  const isLast = parseBoolean(headers.get('upload-complete'));
  if (isLast === undefined) {
    throw invalidInput('Upload-Complete', 'Upload-Complete must be ?0 or ?1');
  }
  const length = parseUploadLength(headers);
  const contentLength = parseContentLength(headers);
  requireSize(contentLength, getUploadLimits().maxBytes);
  return {
    isLast,
    length,
    contentLength,
    digest: parseContentDigest(headers),
    supportsInterim: speaksDraft,
  };
}

/** Without Content-Length and Transfer-Encoding the content is empty (RFC 9112 §6.3). */
function parseContentLength(headers: Headers): number | undefined {
  const given = headers.get('content-length');
  if (given !== null) return Number(given);
  return headers.has('transfer-encoding') ? undefined : 0;
}

function parseUploadLength(headers: Headers): number | undefined {
  const given = getItem(headers, 'upload-length');
  if (given === null) return undefined;
  const length = parseInteger(given);
  if (length === undefined || length < 1) {
    throw invalidInput('Upload-Length', 'Upload-Length must be a whole number of bytes, 1 or more');
  }
  requireSize(length, getUploadLimits().maxAnnouncedBytes);
  return length;
}

function parseMediaType(headers: Headers): string {
  const [type = ''] = (headers.get('content-type') ?? '').split(';');
  const name = type.trim().toLowerCase();
  if (/^(audio|image|video)\/[\w.+-]{1,100}$/.test(name)) return name;
  throw unsupported('The Content-Type must be audio, image or video');
}

/** Offsets count encoded bytes and Repr-Digest the stored ones, so both must be the same. */
function requireNoEncoding(headers: Headers): void {
  const coding = headers.get('content-encoding');
  if (coding === null || /^\s*identity\s*$/i.test(coding)) return;
  throw unsupported('Content must come without Content-Encoding', {
    'accept-encoding': 'identity',
  });
}

const unsupported = (message: string, headers: HeaderValues = {}) =>
  problem('unsupportedMediaType', message, { code: 'unsupported_media_type', headers });

function parseReprDigest(headers: Headers): Uint8Array {
  const name = 'Repr-Digest';
  const given = headers.get(name);
  if (given === null) throw invalidInput(name, `${name} is required`);
  const members = parseByteDictionary(given);
  if (!members) throw invalidDigest(name, 'sha-256', 'not a dictionary of byte sequences');
  const others = [...members.keys()].filter((algorithm) => algorithm !== 'sha-256');
  if (others.length > 0) throw unsupportedAlgorithms(name, others);
  return requireDigestSize(name, 'sha-256', members.get('sha-256'));
}

const SIZES = { 'sha-256': 32, 'sha-512': 64 } as const;

/** Returns a digest of a supported algorithm and ignores the others. */
function parseContentDigest(headers: Headers): Digest | undefined {
  const name = 'Content-Digest';
  const given = headers.get(name);
  if (given === null) return undefined;
  const members = parseByteDictionary(given);
  if (!members) throw invalidDigest(name, 'sha-256', 'not a dictionary of byte sequences');
  const algorithm = (['sha-256', 'sha-512'] as const).find((known) => members.has(known));
  if (!algorithm) throw unsupportedAlgorithms(name, [...members.keys()]);
  return { algorithm, value: requireDigestSize(name, algorithm, members.get(algorithm)) };
}

function requireDigestSize(
  name: 'Repr-Digest' | 'Content-Digest',
  algorithm: keyof typeof SIZES,
  value: Uint8Array | undefined,
): Uint8Array {
  if (!value) throw invalidDigest(name, algorithm, 'the value is not a byte sequence');
  const size = SIZES[algorithm];
  if (value.length === size) return value;
  throw invalidDigest(name, algorithm, `the value is not ${size} bytes long`);
}
