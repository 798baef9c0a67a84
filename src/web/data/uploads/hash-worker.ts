import { type Digests, computeDigests } from './digests.ts';

// This file is both sides: the page imports it, and starts it again as the code of a worker.
// So the worker is an ordinary chunk of the bundle, with its own address and no blob: URL.

type Question = { number: number; file: Blob };
type Answer = { number: number; digests?: Digests; error?: string };

if (typeof document === 'undefined') {
  self.onmessage = ({ data }: MessageEvent<Question>) => {
    void computeDigests(data.file).then(
      (digests) => self.postMessage({ number: data.number, digests }),
      (error: unknown) => self.postMessage({ number: data.number, error: String(error) }),
    );
  };
}

/** Hashes in a thread of its own; throws where there are no module workers. */
export function createHasher(): (file: Blob) => Promise<Digests> {
  const worker = new Worker(import.meta.url, { type: 'module' });
  const open = new Map<
    number,
    { done: (digests: Digests) => void; fail: (error: Error) => void }
  >();
  let next = 0;
  worker.onmessage = ({ data }: MessageEvent<Answer>) => {
    const call = open.get(data.number);
    open.delete(data.number);
    if (data.digests) call?.done(data.digests);
    else call?.fail(new Error(data.error));
  };
  worker.onerror = () => {
    for (const call of open.values()) call.fail(new Error('The worker stopped.'));
    open.clear();
  };
  return (file) =>
    new Promise((done, fail) => {
      const number = next++;
      open.set(number, { done, fail });
      worker.postMessage({ number, file } satisfies Question);
    });
}
