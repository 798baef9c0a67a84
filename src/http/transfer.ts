import { STATUS_CODES } from 'node:http';
import { type Exchange, findExchange, sendInformational } from './exchange.ts';

// For routes that need the connection itself: whether the body is complete, interim responses, and closing
// without a response.

export type Transfer = {
  /**
   * Passes each chunk to `take`, and pauses while `take` is pending. Returns 'cut' when the client
   * disconnected, sent nothing for `idleMs`, or the connection was dropped; all received chunks have been
   * passed on. Rejects with the error of `take`.
   */
  receive(take: TakeChunk, idleMs: number): Promise<'complete' | 'cut'>;
  /** Closes the connection without a response. */
  drop(): void;
  /** Sends 104 Upload Resumption Supported, where possible. */
  inform(headers: Readonly<Record<string, string>>): void;
};

type TakeChunk = (chunk: Uint8Array) => Promise<unknown> | undefined;

// Node has no reason phrase for it.
STATUS_CODES[104] = 'Upload Resumption Supported';

/** Unread bytes above which no more interim responses are sent. */
const MAX_UNREAD_BYTES = 64 * 1024;

export function getTransfer(request: Request): Transfer {
  const exchange = findExchange(request);
  if (!exchange) return createStreamTransfer(request);
  return {
    receive: (take, idleMs) =>
      request.body === null ? Promise.resolve('complete') : receive(exchange, take, idleMs),
    // Not incoming.destroy(): Bun then sends 200 to the client.
    drop: () => void exchange.incoming.socket?.destroy(),
    inform(headers) {
      if ((exchange.outgoing.socket?.writableLength ?? 0) > MAX_UNREAD_BYTES) return;
      sendInformational(request, 104, headers);
    },
  };
}

function receive(exchange: Exchange, take: TakeChunk, idleMs: number): Promise<'complete' | 'cut'> {
  const { incoming, outgoing } = exchange;
  const queue: Uint8Array[] = [];
  let end: 'complete' | 'cut' | undefined;
  let isBusy = false;
  let seenAt = performance.now();
  const { promise, resolve, reject } = Promise.withResolvers<'complete' | 'cut'>();

  const pump = async () => {
    // Stays true after `take` has thrown: later chunks are dropped.
    if (isBusy) return;
    isBusy = true;
    for (let chunk = queue.shift(); chunk; chunk = queue.shift()) {
      const taken = take(chunk);
      if (!taken) continue;
      incoming.pause();
      await taken;
      incoming.resume();
    }
    isBusy = false;
    seenAt = performance.now();
    if (end) resolve(end);
  };
  const finish = (how: 'complete' | 'cut') => {
    end ??= how;
    void pump().catch(reject);
  };
  const onData = (chunk: Uint8Array) => {
    queue.push(chunk);
    void pump().catch(reject);
  };
  const onEnd = () => finish('complete');
  const onCut = () => {
    incoming.off('data', onData);
    // Bytes that arrived before the end and are still buffered.
    for (let rest = incoming.read(); rest; rest = incoming.read()) queue.push(rest as Uint8Array);
    finish(incoming.complete ? 'complete' : 'cut');
  };
  const clock = setInterval(
    () => {
      if (!isBusy && performance.now() - seenAt > idleMs) incoming.socket.destroy();
    },
    Math.max(20, idleMs / 8),
  );

  if (exchange.dropped) {
    clearInterval(clock);
    onCut();
    return promise;
  }
  incoming.on('data', onData).on('end', onEnd).on('error', onCut).on('close', onCut);
  outgoing.on('close', onCut);
  if (exchange.awaitsContinue) {
    exchange.awaitsContinue = false;
    outgoing.writeContinue();
  }
  incoming.resume();
  return promise.finally(() => {
    clearInterval(clock);
    incoming.off('data', onData).off('end', onEnd).off('close', onCut);
    outgoing.off('close', onCut);
  });
}

/** For a request that did not come through the listener and has no connection. */
const createStreamTransfer = ({ body }: Request): Transfer => ({
  async receive(take) {
    const reader = body?.getReader();
    try {
      for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
        await take(next.value as Uint8Array);
      }
    } catch (error) {
      await reader?.cancel().catch(() => {});
      throw error;
    }
    return 'complete';
  },
  drop() {},
  inform() {},
});
