import { createHash } from 'node:crypto';
import {
  formatChunk,
  openConnection,
  formatHead,
  LAST_CHUNK,
  type FinalMessage,
  type Wire,
} from './wire.ts';

// A client of the resumable protocol that can violate it in every way.

export type Client = {
  readonly port: number;
  readonly key: string | undefined;
  /** By default this machine. */
  readonly host?: string;
};
export type HeaderChanges = Readonly<Record<string, string | number | undefined>>;

export const UPLOADS = '/api/assets/uploads';

export const getUploadId = (location: string): string => location.slice(UPLOADS.length + 1);

/** The file of an upload that one server has received. */
export const getStaged = (location: string) => ({ id: getUploadId(location), fileEpoch: 1 });

export const NO_BYTES = Buffer.alloc(0);
/** Header of a part that is not the last. */
export const INCOMPLETE = { 'upload-complete': '?0' };

export const METADATA = {
  filename: 'IMG_0001.jpg',
  fileCreatedAt: '2024-05-06T07:08:09.123Z',
  fileModifiedAt: '2024-05-06T08:00:00+02:00',
} as const;

export const encode = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

export const digestField = (bytes: Uint8Array): string =>
  `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`;

/** Headers of a creation of this file. `changes` replace a header or, with undefined, remove it. */
export const creationHeaders = (
  { key }: Client,
  file: Uint8Array,
  changes: HeaderChanges = {},
): HeaderChanges => ({
  'x-api-key': key,
  'content-type': 'image/jpeg',
  'upload-draft-interop-version': 9,
  'upload-complete': '?1',
  'repr-digest': digestField(file),
  'asset-metadata': encode(METADATA),
  ...changes,
});

export const appendHeaders = (
  { key }: Client,
  offset: number | string | undefined,
  changes: HeaderChanges = {},
): HeaderChanges => ({
  'x-api-key': key,
  'content-type': 'application/partial-upload',
  'upload-draft-interop-version': 9,
  'upload-offset': offset,
  'upload-complete': '?1',
  ...changes,
});

export type CreateOptions = {
  readonly headers?: HeaderChanges;
  /** Bytes to send; by default the whole file. */
  readonly send?: Uint8Array;
  /** With chunked transfer coding, without a length. */
  readonly isChunked?: boolean;
};

const toFramingHeaders = (bytes: Uint8Array, isChunked = false): HeaderChanges =>
  isChunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': bytes.length };

const toFramedBody = (bytes: Uint8Array, isChunked = false): (string | Uint8Array)[] =>
  isChunked ? [...(bytes.length > 0 ? [formatChunk(bytes)] : []), LAST_CHUNK] : [bytes];

export function formatCreation(
  wire: Wire,
  client: Client,
  file: Uint8Array,
  { headers = {}, send = file, isChunked }: CreateOptions = {},
): void {
  const all = {
    ...creationHeaders(client, file),
    ...toFramingHeaders(send, isChunked),
    ...headers,
  };
  wire.write(formatHead(`POST ${UPLOADS}`, all), ...toFramedBody(send, isChunked));
}

/** Sends one POST on its own connection. */
export async function create(
  client: Client,
  file: Uint8Array,
  sent: CreateOptions = {},
): Promise<FinalMessage> {
  const wire = await openConnection(client.port, client);
  formatCreation(wire, client, file, sent);
  const answer = await wire.answer();
  wire.socket.destroy();
  return answer;
}

/** Creates an upload without content and returns its location. */
export async function reserve(
  client: Client,
  file: Uint8Array,
  headers: HeaderChanges = {},
): Promise<string> {
  const reply = await create(client, file, {
    send: NO_BYTES,
    headers: { ...INCOMPLETE, 'upload-length': file.length, ...headers },
  });
  if (reply.status !== 201) throw new Error(`not reserved: ${reply.status} ${reply.text}`);
  return reply.headers['location']!;
}

export function formatAppend(
  wire: Wire,
  client: Client,
  location: string,
  offset: number | string | undefined,
  bytes: Uint8Array,
  { headers = {}, isChunked }: CreateOptions = {},
): void {
  const all = {
    ...appendHeaders(client, offset),
    ...toFramingHeaders(bytes, isChunked),
    ...headers,
  };
  wire.write(formatHead(`PATCH ${location}`, all), ...toFramedBody(bytes, isChunked));
}

export async function append(
  client: Client,
  location: string,
  offset: number | string | undefined,
  bytes: Uint8Array,
  sent: CreateOptions = {},
): Promise<FinalMessage> {
  const wire = await openConnection(client.port, client);
  formatAppend(wire, client, location, offset, bytes, sent);
  const answer = await wire.answer();
  wire.socket.destroy();
  return answer;
}

/** HEAD, GET, DELETE or OPTIONS. */
export async function sendRequest(
  client: Client,
  route: string,
  headers: HeaderChanges = {},
): Promise<FinalMessage> {
  const wire = await openConnection(client.port, client);
  wire.write(
    formatHead(route, { 'x-api-key': client.key, 'upload-draft-interop-version': 9, ...headers }),
  );
  const answer = await wire.answer({ isHead: route.startsWith('HEAD') });
  wire.socket.destroy();
  return answer;
}

export const head = (client: Client, location: string): Promise<FinalMessage> =>
  sendRequest(client, `HEAD ${location}`);

/** Returns [status, offset, complete] from HEAD. */
export async function getUploadState(client: Client, location: string): Promise<unknown[]> {
  const { status, headers } = await head(client, location);
  return [status, Number(headers['upload-offset']), headers['upload-complete']];
}

/** Polls until the condition holds; throws with `what` when it never does. */
export async function waitUntil(
  what: string,
  holds: () => Promise<boolean> | boolean,
): Promise<void> {
  const end = Date.now() + 120_000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`waited in vain: ${what}`);
    await Bun.sleep(5);
  }
}
