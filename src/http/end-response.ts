import { announcesBody, type Exchange } from './exchange.ts';

/**
 * Ends a response, with its last bytes. While the client still sends the body of a request that is answered already, the
 * response stays open: a connection that is closed then is reset, and the client, often a proxy, loses the response.
 */
export function endResponse(exchange: Exchange, bytes?: Uint8Array): void {
  const { incoming, outgoing, awaitsContinue } = exchange;
  exchange.ended = true;
  if (awaitsContinue || incoming.complete || !announcesBody(incoming))
    return void outgoing.end(bytes);
  if (bytes?.length) outgoing.write(bytes);
  else outgoing.flushHeaders();
  incoming.once('end', () => outgoing.end());
  discardRest(exchange);
}

/** Limits for reading the rest of a body. */
const DISCARD_BYTES = 64 * 1024 * 1024;
const DISCARD_MS = 30_000;

function discardRest({ incoming }: Exchange): void {
  let left = DISCARD_BYTES;
  const { socket } = incoming;
  const timer = setTimeout(() => socket.destroy(), DISCARD_MS);
  incoming.on('data', (chunk: Uint8Array) => {
    left -= chunk.length;
    if (left < 0) socket.destroy();
  });
  incoming.once('close', () => clearTimeout(timer));
  incoming.on('error', () => {});
  incoming.resume();
}
