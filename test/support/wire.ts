import { expect } from 'bun:test';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Json } from './json.ts';

/** A response as it was received; also interim ones. */
export type Message = {
  readonly status: number;
  readonly reason: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly body: Json;
};

export type FinalMessage = Message & { readonly interim: readonly Message[] };

/** A connection whose bytes a test writes and reads itself. */
export type Wire = {
  readonly socket: Socket;
  write(...pieces: (string | Uint8Array)[]): void;
  /** The next response, interim or final; undefined when the connection closes first. */
  message(options?: { readonly isHead?: boolean }): Promise<Message | undefined>;
  /** The next final response with the interim ones before it. Throws when the connection closes. */
  answer(options?: { readonly isHead?: boolean }): Promise<FinalMessage>;
  /** Waits for the other side to close and returns all unread bytes. */
  readonly closed: Promise<string>;
};

const openSockets: Socket[] = [];

/** Closes the connections that a test left open. Call it in afterEach. */
export const closeAllConnections = (): void => {
  for (const socket of openSockets.splice(0)) socket.destroy();
};

export async function openConnection(
  port: number,
  {
    ca,
    localAddress,
    host = '127.0.0.1',
  }: { readonly ca?: string; readonly localAddress?: string; readonly host?: string } = {},
): Promise<Wire> {
  const target = { port, host, ...(localAddress && { localAddress }) };
  const socket: Socket = ca
    ? connectTls({ ...target, servername: 'localhost', ca, ALPNProtocols: ['http/1.1'] })
    : connect(target);
  openSockets.push(socket);
  let buffer = Buffer.alloc(0);
  let isClosed = false;
  let wake = () => {};
  const closed = Promise.withResolvers<string>();
  socket.on('data', (chunk: Uint8Array) => {
    buffer = Buffer.concat([buffer, chunk]);
    wake();
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    isClosed = true;
    closed.resolve(buffer.toString('latin1'));
    wake();
  });
  await new Promise<void>((resolve, reject) => {
    socket.once(ca ? 'secureConnect' : 'connect', () => resolve());
    socket.once('error', reject);
  });

  const message: Wire['message'] = async ({ isHead = false } = {}) => {
    for (;;) {
      const found = parse(buffer, isHead);
      if (found) {
        buffer = buffer.subarray(found.length);
        return found.message;
      }
      if (isClosed) return undefined;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return {
    socket,
    message,
    closed: closed.promise,
    write(...pieces) {
      for (const piece of pieces) socket.write(piece);
    },
    async answer(options) {
      const interim: Message[] = [];
      for (;;) {
        const found = await message(options);
        if (!found) throw new Error('the connection closed without a final answer');
        if (found.status >= 200) return { ...found, interim };
        interim.push(found);
      }
    },
  };
}

function parse(
  buffer: Buffer,
  isHead: boolean,
): { readonly message: Message; readonly length: number } | undefined {
  const end = buffer.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [first, ...lines] = buffer.subarray(0, end).toString('latin1').split('\r\n');
  const [, code, reason = ''] = /^HTTP\/1\.[01] (\d{3}) ?(.*)$/.exec(first!) ?? [];
  if (!code) throw new Error(`no answer: ${first}`);
  const status = Number(code);
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
  const isBare = isHead || status < 200 || status === 204;
  const size = isBare ? 0 : Number(headers['content-length'] ?? 0);
  const start = end + 4;
  if (buffer.length < start + size) return undefined;
  const text = buffer.subarray(start, start + size).toString();
  const body = text && headers['content-type']?.includes('json') ? JSON.parse(text) : undefined;
  return { message: { status, reason, headers, text, body }, length: start + size };
}

/** Formats the head of a request without headers whose value is undefined. */
export const formatHead = (
  route: string,
  headers: Readonly<Record<string, string | number | undefined>>,
  version = 'HTTP/1.1',
): string =>
  [
    `${route} ${version}`,
    'host: localhost',
    ...Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}: ${value}`],
    ),
    '\r\n',
  ].join('\r\n');

export const formatChunk = (bytes: Uint8Array): Uint8Array =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
export const LAST_CHUNK = '0\r\n\r\n';

/**
 * Sends a request whose body goes on, in so many pieces, after the answer has begun. Returns all that came until the other
 * side closed, and expects that it did not before the last piece.
 */
export async function sendBeyondAnswer(
  wire: Wire,
  head: string,
  piece: Uint8Array,
  pieces: number,
): Promise<string> {
  wire.write(head, piece);
  await once(wire.socket, 'data');
  for (let sent = 1; sent < pieces; sent++) {
    expect([sent, wire.socket.destroyed]).toEqual([sent, false]);
    wire.write(piece);
    await Bun.sleep(1);
  }
  return wire.closed;
}
