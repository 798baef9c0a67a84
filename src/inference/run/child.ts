import { limitMallocArenas, releaseGarbage } from '../../core/malloc.ts';
import { takeStandardOutput } from '../../core/standard-output.ts';
import { encodeMessage, readMessages } from '../message-stream.ts';
import { ModelUnprepared } from '../errors.ts';
import type { CallResults, Call, ChildOptions, FromChild, ToChild } from '../messages.ts';
import { detectFastIntegers } from '../models/processor.ts';
import type { Providers } from '../types.ts';
import { createEngine, type Engine, HEAPS } from './engine.ts';
import { probeProviders } from './providers.ts';
import { newSessions } from './session.ts';

/** The parent ends an idle child; this limit is for a parent that cannot. */
const ABANDONED_MS = 15 * 60_000;
/** Free memory is returned to the system after this time without calls. */
const REST_MS = 1000;

/** Body of the inference child: serves calls of its parent until that is gone. */
export async function serveInference(): Promise<never> {
  limitMallocArenas(HEAPS);
  const output = takeStandardOutput();
  const tell = (message: FromChild) => {
    void output.write(encodeMessage(message));
    // The parent has exited.
    Promise.resolve(output.flush()).catch(() => {});
  };
  const starting = Promise.withResolvers<{ engine: Engine; providers: Providers }>();
  let abandoned = setTimeout(leave, ABANDONED_MS);
  let resting: Timer | undefined;

  async function start(options: ChildOptions): Promise<void> {
    const providers = await probeProviders(options.providers, (provider) =>
      tell({ type: 'trying', provider }),
    );
    const { threads, models, isExclusive, folders, published } = options;
    // A device runs one thing at a time.
    const concurrency = providers.used === 'cpu' ? options.concurrency : 1;
    const sessions = newSessions({
      threads,
      concurrency,
      machine: { provider: providers.used, hasFastIntegers: detectFastIntegers() },
      folders,
      published,
    });
    const engine = createEngine(models, sessions, { isExclusive, concurrency });
    starting.resolve({ engine, providers });
    tell({ type: 'started', providers });
  }

  async function answer(id: number, call: Call): Promise<void> {
    clearTimeout(abandoned);
    clearTimeout(resting);
    try {
      const { engine, providers } = await starting.promise;
      const value: CallResults[Call['kind']] =
        call.kind === 'probe' ? providers : await engine.answer(call);
      tell({ type: 'answer', id, value, memory: process.memoryUsage.rss() });
    } catch (error) {
      const { name, message } = error instanceof Error ? error : new Error(String(error));
      const unprepared =
        error instanceof ModelUnprepared ? { path: error.path, machine: error.machine } : undefined;
      const memory = process.memoryUsage.rss();
      tell({ type: 'failure', id, name, message, memory, unprepared });
    }
    abandoned = setTimeout(leave, ABANDONED_MS);
    resting = setTimeout(releaseGarbage, REST_MS);
  }

  for await (const message of readMessages<ToChild>(Bun.stdin.stream())) {
    if (message.type === 'start') start(message.options).catch(starting.reject);
    else void answer(message.id, message.call);
  }
  return leave();
}

const leave = () => process.exit(0);
