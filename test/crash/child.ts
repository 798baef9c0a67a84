import { join } from 'node:path';
import type { UploadLimits } from '../../src/areas/uploads/resumable/responses.ts';
import { DATES } from '../support/forms.ts';
import { bundle } from './bundle.ts';

export type Child = {
  readonly url: string;
  /** Files of dead processes that it removed at its start. */
  readonly swept: number;
  readonly pid: number;
  /** Makes it die when it comes to this fault point. */
  arm(fault: string): Promise<unknown>;
  /** When it has gone, by itself or killed. */
  readonly exited: Promise<number>;
  kill(): Promise<void>;
};

/** Starts the server of upload-child.ts; `wrapper` goes before its command line. */
export async function startChild(
  databaseUrl: string,
  dataDir: string,
  {
    wrapper = [],
    limits = {},
    objectStore = [],
  }: {
    wrapper?: readonly string[];
    limits?: Partial<UploadLimits>;
    objectStore?: readonly [url: string, credentials: string] | readonly [];
  } = {},
): Promise<Child> {
  const script = await bundle(join(import.meta.dir, 'upload-child.ts'));
  const child = Bun.spawn(
    [
      // A failed test must not leave it running.
      'setpriv',
      '--pdeathsig',
      'KILL',
      '--',
      ...wrapper,
      process.execPath,
      script,
      databaseUrl,
      dataDir,
      JSON.stringify(limits),
      ...objectStore,
    ],
    { stdout: 'pipe', stderr: 'inherit' },
  );
  const ready = JSON.parse(await firstLine(child.stdout)) as { url: string; swept: number };
  return {
    ...ready,
    pid: child.pid,
    arm: (fault) => fetch(`${ready.url}/fault/${fault}`),
    exited: child.exited,
    async kill() {
      child.kill('SIGKILL');
      await child.exited;
    },
  };
}

export async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes('\n')) return text.slice(0, text.indexOf('\n'));
  }
  throw new Error('the server ended before it was ready');
}

export type Answer = {
  readonly status: number;
  readonly id?: string;
  /** 'created', 'duplicate', or what was wrong. */
  readonly outcome: string;
};

/** Undefined: the server died before it answered. */
export async function send(
  { url }: Pick<Child, 'url'>,
  key: string,
  bytes: Uint8Array,
  { sidecar = false } = {},
): Promise<Answer | undefined> {
  const body = new FormData();
  body.set('assetData', new Blob([bytes as Uint8Array<ArrayBuffer>]), 'a.jpg');
  for (const { name, value } of DATES) body.set(name, value!);
  if (sidecar) body.set('sidecarData', new Blob(['<x:xmpmeta/>']), 'a.xmp');
  try {
    const reply = await fetch(`${url}/api/assets`, {
      method: 'POST',
      headers: { 'x-api-key': key },
      body,
    });
    const { id, status, message } = (await reply.json()) as Record<string, string>;
    return { status: reply.status, ...(id && { id }), outcome: status ?? message ?? '' };
  } catch {
    return undefined;
  }
}
