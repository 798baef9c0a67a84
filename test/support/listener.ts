import { afterEach } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '../../src/core/log.ts';
import { type Listener, type ListenerOptions, startListener } from '../../src/http/listener.ts';

export type Peer = {
  readonly socket: Socket;
  readonly send: (bytes: string) => void;
  readonly until: (done: (text: string, closed: boolean) => boolean) => Promise<string>;
};

/** Listeners, connections and folders that end with the test that opened them. */
export function setUpListeners() {
  const cleanups: (() => unknown)[] = [];
  afterEach(async () => {
    for (const clean of cleanups.splice(0).reverse()) await clean();
  });
  const after = (clean: () => unknown): void => void cleanups.push(clean);
  return {
    after,
    listen: async (
      fetch: ListenerOptions['fetch'],
      over: Partial<ListenerOptions> = {},
    ): Promise<Listener> => {
      const options = { fetch, host: '127.0.0.1', port: 0, log: silentLog, ...over };
      const listener = await startListener(options);
      after(() => listener.stop(50));
      return listener;
    },
    /** A connection whose bytes the test writes and reads itself. */
    open: ({ port }: Listener): Peer => {
      const peer = connectTo(port);
      after(() => peer.socket.destroy());
      return peer;
    },
    folder: (): string => {
      const path = mkdtempSync(join(tmpdir(), 'listener-'));
      after(() => rmSync(path, { recursive: true }));
      return path;
    },
  };
}

function connectTo(port: number): Peer {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  let closed = false;
  let wake = () => {};
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    wake();
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    closed = true;
    wake();
  });
  return {
    socket,
    send: (bytes) => void socket.write(bytes),
    async until(done) {
      while (!done(text, closed)) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return text;
    },
  };
}

/** Until the next turn of the loop in which it holds. */
export async function until(check: () => boolean): Promise<void> {
  while (!check()) await new Promise((resolve) => setImmediate(resolve));
}
