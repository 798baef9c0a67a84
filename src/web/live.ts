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

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

/** Connects, and again whenever the connection is lost, until the answer is called. */
export function listen(): () => void {
  let socket: WebSocket | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pause = FIRST_PAUSE_MS;
  let isOver = false;

  const connect = () => {
    clearTimeout(timer);
    const { protocol, host } = location;
    const scheme = protocol === 'https:' ? 'wss' : 'ws';
    socket = new WebSocket(`${scheme}://${host}/api/socket.io/?EIO=4&transport=websocket`);
    socket.onmessage = ({ data }) => {
      const answer = typeof data === 'string' ? take(data) : undefined;
      if (isLive.get()) pause = FIRST_PAUSE_MS;
      if (answer) socket?.send(answer);
    };
    socket.onclose = () => {
      isLive.set(false);
      if (isOver) return;
      timer = setTimeout(connect, pause);
      pause = Math.min(LONGEST_PAUSE_MS, pause * 2);
    };
  };
  const hurry = () => {
    if (!isOver && !isLive.get() && socket?.readyState === WebSocket.CLOSED) connect();
  };

  connect();
  window.addEventListener('online', hurry);
  return () => {
    isOver = true;
    clearTimeout(timer);
    window.removeEventListener('online', hurry);
    socket?.close();
    isLive.set(false);
  };
}

/** What to answer to a packet, if anything. */
export function take(packet: string): string | undefined {
  // Open: asks to be let in. Ping: pong.
  if (packet.startsWith('0')) return '40';
  if (packet === '2') return '3';
  if (packet.startsWith('40')) isLive.set(true);
  if (packet.startsWith('42')) tell(packet.slice(2));
  return undefined;
}

function tell(text: string): void {
  const [name, ...args] = JSON.parse(text) as [unknown, ...unknown[]];
  if (typeof name !== 'string') return;
  for (const listener of listeners) listener({ name, args });
}
