import { checkConnection, isOffline } from './connection.ts';
import { createStore } from './store.ts';

// As much of Engine.IO 4 and Socket.IO 5 as it takes to listen: over a WebSocket, a packet is one
// digit for the kind and then, for a message, one more and JSON.

/** True while the server tells by itself what changes; then nobody needs to ask often. */
export const isLive = createStore(false);

export type LiveEvent = { name: string; args: readonly unknown[] };

const listeners = new Set<(event: LiveEvent) => void>();
export function onLiveEvent(listener: (event: LiveEvent) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

const MIN_BACKOFF_MS = 1000;
const MAX_BACKOFF_MS = 60_000;

/** Connects, and again whenever the connection is lost, until the answer is called. */
export function connectLive(): () => void {
  let socket: WebSocket | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let backoffMs = MIN_BACKOFF_MS;
  let isStopped = false;

  const connect = () => {
    clearTimeout(timer);
    const { protocol, host } = location;
    const scheme = protocol === 'https:' ? 'wss' : 'ws';
    socket = new WebSocket(`${scheme}://${host}/api/socket.io/?EIO=4&transport=websocket`);
    socket.onmessage = ({ data }) => {
      const answer = typeof data === 'string' ? handlePacket(data) : undefined;
      if (isLive.get()) backoffMs = MIN_BACKOFF_MS;
      if (answer) socket?.send(answer);
    };
    socket.onclose = () => {
      isLive.set(false);
      if (isStopped) return;
      void checkConnection();
      timer = setTimeout(connect, backoffMs);
      backoffMs = Math.min(MAX_BACKOFF_MS, backoffMs * 2);
    };
  };
  const reconnectNow = () => {
    if (!isStopped && !isLive.get() && socket?.readyState === WebSocket.CLOSED) connect();
  };

  connect();
  window.addEventListener('online', reconnectNow);
  const unfollow = isOffline.subscribe(() => {
    if (!isOffline.get()) reconnectNow();
  });
  return () => {
    isStopped = true;
    unfollow();
    clearTimeout(timer);
    window.removeEventListener('online', reconnectNow);
    socket?.close();
    isLive.set(false);
  };
}

/** Handles a packet; returns the packet to answer with, if any. */
export function handlePacket(packet: string): string | undefined {
  // Open: asks to be let in. Ping: pong.
  if (packet.startsWith('0')) return '40';
  if (packet === '2') return '3';
  if (packet.startsWith('42')) emitEvent(packet.slice(2));
  return undefined;
}

function emitEvent(text: string): void {
  const [name, ...args] = JSON.parse(text) as [unknown, ...unknown[]];
  if (typeof name !== 'string') return;
  // The first event of an account: neither strangers nor maintenance mode are told it.
  if (name === 'on_server_version') isLive.set(true);
  for (const listener of listeners) listener({ name, args });
}
