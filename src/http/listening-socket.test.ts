import { expect, test } from 'bun:test';
import { closeSync } from 'node:fs';
import { silentLog } from '../core/log.ts';
import { startListener } from './listener.ts';
import { copyListeningSocket, findListeningSocket, getPort } from './listening-socket.ts';

const listen = (answer: string, socket?: number) =>
  startListener({
    fetch: () => new Response(answer),
    host: '127.0.0.1',
    port: 0,
    socket,
    log: silentLog,
  });
const ask = async (port: number) =>
  (await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } })).text();

test('a second listener takes over the socket of the first, and waiting connections with it', async () => {
  const first = await listen('first');
  const { port } = first;
  expect(await ask(port)).toBe('first');
  const socket = copyListeningSocket(port);
  expect(getPort(socket)).toBe(port);
  await first.stop(0);
  const waiting = ask(port);
  const second = await listen('second', socket);
  closeSync(socket);
  expect(second.port).toBe(port);
  expect(await waiting).toBe('second');
  expect(await Promise.all(Array.from({ length: 50 }, () => ask(port)))).toEqual(
    Array.from({ length: 50 }, () => 'second'),
  );
  await second.stop(0);
  await expect(ask(port)).rejects.toThrow();
  expect(() => findListeningSocket(port)).toThrow('No socket of this process');
});
