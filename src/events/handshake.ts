import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '../core/errors.ts';

// The first request of a live connection, for the application and for maintenance mode.

const PATH = /^(?:[a-z]+:\/\/[^/]*)?\/api\/socket\.io\/?(?:\?|$)/;

/** Whether an address or its path is that of live events. */
export const isLivePath = (url: string | undefined): boolean => PATH.test(url ?? '');

export function toHeaders({ headers: given }: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join() : value);
  }
  return headers;
}

export const getPeer = ({ socket }: IncomingMessage): string | undefined =>
  socket.remoteAddress?.replace(/^::ffff:/, '');

/** Ends the connection with the response of an error. */
export function refuse(socket: Socket, error: unknown): void {
  const { status, message } =
    error instanceof AppError ? error : { status: 500, message: 'Internal server error' };
  const body = JSON.stringify({ message });
  socket.end(
    `HTTP/1.1 ${status} Refused\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

/** Returns the refusal of a live connection by anything but a WebSocket, as Engine.IO words it. */
export function refuseWithoutUpgrade(url: string): Response | undefined {
  if (!isLivePath(url)) return undefined;
  const isWebSocket = new URL(url).searchParams.get('transport') === 'websocket';
  const body = isWebSocket
    ? { code: 3, message: 'Bad request' }
    : { code: 0, message: 'Transport unknown' };
  return Response.json(body, { status: 400, headers: { 'cache-control': 'no-store' } });
}
