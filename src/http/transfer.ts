import { STATUS_CODES } from 'node:http';
import { type Exchange, exchangeOf, informational } from './exchange.ts';

// For routes that need the connection itself: what a body stream cannot tell (were all bytes sent?)
// and what a Response cannot do (interim answers, an end without an answer).

export type Transfer = {
  /**
   * Hands each chunk to `take` as it arrives, and reads no more while `take` is busy. 'cut': the
   * client went away, was silent for `idleMs`, or the connection was dropped; what had arrived was
   * handed over. Rejects with what `take` throws.
   */
  receive(take: Take, idleMs: number): Promise<'complete' | 'cut'>;
  /** Cuts the connection without any answer. */
  drop(): void;
  /** Sends 104 Upload Resumption Supported; does nothing where that is not possible. */
  inform(headers: Readonly<Record<string, string>>): void;
};

type Take = (chunk: Uint8Array) => Promise<unknown> | undefined;

// Node knows no phrase for it.
STATUS_CODES[104] = 'Upload Resumption Supported';

/** A client that does not read what it is told is told no more beyond so many bytes. */
const MAX_UNREAD_BYTES = 64 * 1024;

export function transferOf(request: Request): Transfer {
  const exchange = exchangeOf(request);
  if (!exchange) return plainTransfer(request);
  return {
    receive: (take, idleMs) =>
      request.body === null ? Promise.resolve('complete') : receive(exchange, take, idleMs),
    // Never destroy() of the request: Bun then answers 200 to the client.
    drop: () => void exchange.incoming.socket?.destroy(),
    inform(headers) {
      if ((exchange.outgoing.socket?.writableLength ?? 0) > MAX_UNREAD_BYTES) return;
      informational(request, 104, headers);
    },
  };
}

function receive(exchange: Exchange, take: Take, idleMs: number): Promise<'complete' | 'cut'> {
  const { incoming, outgoing } = exchange;
  const queue: Uint8Array[] = [];
  let end: 'complete' | 'cut' | undefined;
  let isBusy = false;
  let seenAt = performance.now();
  const { promise, resolve, reject } = Promise.withResolvers<'complete' | 'cut'>();

  const pump = async () => {
    // Also after `take` has thrown: what comes then is nobody's.
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
    // What came before the end and has not been read yet.
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

/** A request that did not come through the listener: it has no connection. */
const plainTransfer = ({ body }: Request): Transfer => ({
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
