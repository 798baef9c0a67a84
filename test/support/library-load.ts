import { createHash, randomBytes } from 'node:crypto';
import { BROKEN } from './balancer.ts';
import { FORM_TYPE, photoForm } from './forms.ts';

const READS = [
  '/timeline/buckets',
  '/assets/statistics',
  '/users/me',
  '/albums',
  '/tags',
  '/people',
  '/search/explore',
] as const;
const UPLOAD_BYTES = 100_000;
const CLIENTS = 4;

type Rates = { readonly readsPerSecond: number; readonly uploadsPerSecond: number };

export type LoadOutcome = {
  reads: number;
  readonly uploads: Map<string, string>;
  /** Requests without success, except lost connections: 'GET /albums 503'. */
  readonly failures: string[];
  longestMs: number;
};

const toSha1 = (bytes: Uint8Array): string => createHash('sha1').update(bytes).digest('base64');

/** Reads lists and uploads files, as several clients, until it is stopped. */
export function startLoad(url: string, key: string, { readsPerSecond, uploadsPerSecond }: Rates) {
  const outcome: LoadOutcome = { reads: 0, uploads: new Map(), failures: [], longestMs: 0 };
  let isStopping = false;

  async function send(
    route: string,
    body: Uint8Array | null = null,
  ): Promise<Response | undefined> {
    const [method = '', path] = route.split(' ');
    const from = performance.now();
    const headers = { 'x-api-key': key, ...(body && { 'content-type': FORM_TYPE }) };
    const answer = await fetch(`${url}/api${path}`, {
      method,
      headers,
      body: body as BodyInit | null,
    });
    outcome.longestMs = Math.max(outcome.longestMs, performance.now() - from);
    if (answer.ok) return answer;
    if (answer.status !== BROKEN) outcome.failures.push(`${route} ${answer.status}`);
    return undefined;
  }

  async function read(): Promise<void> {
    const answer = await send(`GET ${READS[outcome.reads++ % READS.length]}`);
    await answer?.arrayBuffer();
  }

  async function upload(): Promise<void> {
    const bytes = randomBytes(UPLOAD_BYTES);
    const answer = await send('POST /assets', photoForm(bytes));
    if (!answer) return;
    const { id } = (await answer.json()) as { id: string };
    outcome.uploads.set(id, toSha1(bytes));
  }

  /** At most at this rate: on a machine that is too slow for it, requests do not pile up. */
  async function repeat(perSecond: number, work: () => Promise<void>): Promise<void> {
    const pauseMs = (CLIENTS * 1000) / perSecond;
    while (!isStopping) {
      const next = Bun.sleep(pauseMs);
      await work();
      await next;
    }
  }
  const clients = Array.from({ length: CLIENTS }, () => [
    repeat(readsPerSecond, read),
    repeat(uploadsPerSecond, upload),
  ]);

  return {
    outcome,
    /** Resolves when all requests have been answered. */
    async stop(): Promise<LoadOutcome> {
      isStopping = true;
      await Promise.all(clients.flat());
      return outcome;
    },
  };
}

export type Load = ReturnType<typeof startLoad>;

/** Returns the ids of uploads whose original is not what was sent. */
export async function listLost(
  url: string,
  key: string,
  uploads: ReadonlyMap<string, string>,
): Promise<string[]> {
  const lost: string[] = [];
  for (const [id, checksum] of uploads) {
    const headers = { 'x-api-key': key };
    const answer = await fetch(`${url}/api/assets/${id}/original`, { headers });
    if (toSha1(await answer.bytes()) !== checksum) lost.push(id);
  }
  return lost;
}
