import { createHash } from 'node:crypto';
import { chunk, dial, headOf, LAST_CHUNK, type Answered, type Wire } from './wire.ts';

// A client of the resumable protocol that can do everything wrong.

export type Client = { readonly port: number; readonly key: string | undefined };
export type HeaderChanges = Readonly<Record<string, string | number | undefined>>;

export const UPLOADS = '/api/assets/uploads';

export const idOf = (location: string): string => location.slice(UPLOADS.length + 1);

export const NOTHING = Buffer.alloc(0);
/** The header of a part that is not the last. */
export const OPEN = { 'upload-complete': '?0' };

export const METADATA = {
  filename: 'IMG_0001.jpg',
  fileCreatedAt: '2024-05-06T07:08:09.123Z',
  fileModifiedAt: '2024-05-06T08:00:00+02:00',
} as const;

export const encode = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

export const digestField = (bytes: Uint8Array): string =>
  `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`;

/** What POST needs for this file; `changes` replace a header or, with undefined, leave it out. */
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

export type Sent = {
  readonly headers?: HeaderChanges;
  /** What goes over the wire; the whole file unless said otherwise. */
  readonly send?: Uint8Array;
  /** In chunks of transfer coding, without a length. */
  readonly isChunked?: boolean;
};

const framing = (bytes: Uint8Array, isChunked = false): HeaderChanges =>
  isChunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': bytes.length };

const framed = (bytes: Uint8Array, isChunked = false): (string | Uint8Array)[] =>
  isChunked ? [...(bytes.length > 0 ? [chunk(bytes)] : []), LAST_CHUNK] : [bytes];

export function writeCreation(
  wire: Wire,
  client: Client,
  file: Uint8Array,
  { headers = {}, send = file, isChunked }: Sent = {},
): void {
  const all = { ...creationHeaders(client, file), ...framing(send, isChunked), ...headers };
  wire.write(headOf(`POST ${UPLOADS}`, all), ...framed(send, isChunked));
}

/** One POST on a connection of its own. */
export async function create(client: Client, file: Uint8Array, sent: Sent = {}): Promise<Answered> {
  const wire = await dial(client.port);
  writeCreation(wire, client, file, sent);
  const answer = await wire.answer();
  wire.socket.destroy();
  return answer;
}

/** The careful way: nothing is sent before the place to continue is known. */
export async function reserve(
  client: Client,
  file: Uint8Array,
  headers: HeaderChanges = {},
): Promise<string> {
  const reply = await create(client, file, {
    send: NOTHING,
    headers: { ...OPEN, 'upload-length': file.length, ...headers },
  });
  if (reply.status !== 201) throw new Error(`not reserved: ${reply.status} ${reply.text}`);
  return reply.headers['location']!;
}

export function writeAppend(
  wire: Wire,
  client: Client,
  location: string,
  offset: number | string | undefined,
  bytes: Uint8Array,
  { headers = {}, isChunked }: Sent = {},
): void {
  const all = { ...appendHeaders(client, offset), ...framing(bytes, isChunked), ...headers };
  wire.write(headOf(`PATCH ${location}`, all), ...framed(bytes, isChunked));
}

export async function append(
  client: Client,
  location: string,
  offset: number | string | undefined,
  bytes: Uint8Array,
  sent: Sent = {},
): Promise<Answered> {
  const wire = await dial(client.port);
  writeAppend(wire, client, location, offset, bytes, sent);
  const answer = await wire.answer();
  wire.socket.destroy();
  return answer;
}

/** HEAD, GET, DELETE or OPTIONS. */
export async function ask(
  { port, key }: Client,
  route: string,
  headers: HeaderChanges = {},
): Promise<Answered> {
  const wire = await dial(port);
  wire.write(headOf(route, { 'x-api-key': key, 'upload-draft-interop-version': 9, ...headers }));
  const answer = await wire.answer({ isHead: route.startsWith('HEAD') });
  wire.socket.destroy();
  return answer;
}

export const head = (client: Client, location: string): Promise<Answered> =>
  ask(client, `HEAD ${location}`);

/** What HEAD says: [status, offset, complete]. */
export async function standing(client: Client, location: string): Promise<unknown[]> {
  const { status, headers } = await head(client, location);
  return [status, Number(headers['upload-offset']), headers['upload-complete']];
}

/** Asks again until it holds, and says what was waited for when it never does. */
export async function eventually(
  what: string,
  holds: () => Promise<boolean> | boolean,
): Promise<void> {
  const end = Date.now() + 10_000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`waited in vain: ${what}`);
    await Bun.sleep(5);
  }
}
