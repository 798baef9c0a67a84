// API keys of other servers. They are in the memory of the process that was given them, and nowhere else: its threads
// ask for them, and after a restart the account is asked again.

const CHANNEL = 'safelight.move-in-keys';
/** A message may be lost while a thread starts: it is sent again until it is answered. */
const REPEAT_MS = 100;
const ANSWER_MS = 2000;

type Message =
  | { readonly type: 'ask'; readonly id: string }
  | { readonly type: 'answer'; readonly id: string; readonly key: string }
  | { readonly type: 'forget'; readonly id: string };

type Held = { readonly key: string; readonly timer: Timer | undefined };

const keys = new Map<string, Held>();
let channel: BroadcastChannel | undefined;

/** Keeps the key of an operation for so long, or until it is forgotten, and gives it to the threads of this process. */
export function holdKey(id: string, key: string, ms?: number): void {
  dropKey(id);
  const timer = ms === undefined ? undefined : setTimeout(() => dropKey(id), ms);
  timer?.unref();
  keys.set(id, { key, timer });
  if (channel) return;
  const opened = openChannel((message) => {
    if (message.type === 'forget') dropKey(message.id);
    const key = message.type === 'ask' ? keys.get(message.id)?.key : undefined;
    if (key !== undefined) send(opened, { type: 'answer', id: message.id, key });
  });
  channel = opened;
}

export const findKey = (id: string): string | undefined => keys.get(id)?.key;

function dropKey(id: string): void {
  clearTimeout(keys.get(id)?.timer);
  keys.delete(id);
}

/** Forgets a key, from whichever thread. */
export function forgetKey(id: string): void {
  dropKey(id);
  const opened = openChannel(() => {});
  send(opened, { type: 'forget', id });
  opened.close();
}

/** Returns the key of an operation; undefined if no thread of this process holds it. */
export async function requestKey(id: string): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const opened = openChannel((message) => {
    if (message.type === 'answer' && message.id === id) resolve(message.key);
  });
  const ask = () => send(opened, { type: 'ask', id });
  const timers = [setInterval(ask, REPEAT_MS), setTimeout(() => resolve(undefined), ANSWER_MS)];
  ask();
  try {
    return await promise;
  } finally {
    for (const timer of timers) clearTimeout(timer);
    opened.close();
  }
}

function openChannel(receive: (message: Message) => void): BroadcastChannel {
  const opened = new BroadcastChannel(CHANNEL);
  opened.addEventListener('message', ({ data }: MessageEvent<Message>) => receive(data));
  // It keeps no process alive.
  opened.unref();
  return opened;
}

const send = (channel: BroadcastChannel, message: Message): void => channel.postMessage(message);
