// A backup client: learns which files of a folder the library lacks, uploads them, and asks
// again until the library has them all.
//   bun test/reconcile/client.ts --url http://nas:2283 --email a@b.c --password … --pin 123456 <folder>
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';

type Result = {
  readonly runId: string;
  readonly status: string;
  readonly pendingBuckets: readonly number[];
  readonly missingHashes: readonly string[];
  readonly missingCount: number;
};
type Answer = { readonly status: number; readonly body: unknown };
type Client = (method: string, path: string, body?: object) => Promise<Answer>;

const MAX_ROUNDS = 5;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      url: { type: 'string' },
      email: { type: 'string' },
      password: { type: 'string' },
      pin: { type: 'string' },
      device: { type: 'string', default: 'folder' },
      /** Compares and tells, and uploads nothing. */
      'dry-run': { type: 'boolean', default: false },
    },
  });
  const { url, email, password, pin, device } = values;
  const [folder] = positionals;
  if (!url || !email || !password || !pin || !folder) throw new Error('see the head of this file');
  const client = await logIn(url, { email, password, pin });
  const { id } = await ask<{ id: string }>(client, 'POST', '/users/me/backup-devices', {
    deviceKey: device,
    name: device,
    platform: 'desktop',
  });
  const files = await hashFiles(folder);
  for (let round = 1; round <= MAX_ROUNDS; round++) {
    const missing = await reconcile(client, id, [...files.keys()]);
    console.log(JSON.stringify({ round, files: files.size, missing: missing.length }));
    if (missing.length === 0 || values['dry-run']) return;
    for (const hash of missing) await upload(client, files.get(hash)!);
  }
  throw new Error('the library does not keep what is uploaded');
}

async function logIn(url: string, { pin, ...login }: Record<'email' | 'password' | 'pin', string>) {
  let token: string | undefined;
  const client: Client = async (method, path, body) => {
    const isForm = body instanceof FormData;
    const response = await fetch(`${url}/api${path}`, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body && !isForm && { 'content-type': 'application/json' }),
      },
      ...(body && { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text ? JSON.parse(text) : undefined };
  };
  token = (await ask<{ accessToken: string }>(client, 'POST', '/auth/login', login)).accessToken;
  await ask(client, 'POST', '/auth/session/unlock', { pinCode: pin });
  return client;
}

/** Paths by hash; copies of a file are one. */
async function hashFiles(folder: string): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const name of await readdir(folder, { recursive: true })) {
    const path = join(folder, name);
    if ((await stat(path)).isFile()) files.set(await hashFile(path), path);
  }
  return files;
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
}

/** Returns the hashes that the library lacks. Starts over if the library changes meanwhile. */
async function reconcile(client: Client, device: string, hashes: readonly string[]) {
  const buckets = toBuckets(hashes);
  for (;;) {
    const missing = await compare(client, `/users/me/backup-devices/${device}`, buckets);
    if (missing) return missing;
  }
}

async function compare(client: Client, path: string, buckets: readonly (readonly string[])[]) {
  const start = await postWithRetry<Result>(client, `${path}/reconciliations`, {
    buckets: buckets.map((own, index) => ({ index, count: own.length, digest: toDigest(own) })),
  });
  if (!start) return undefined;
  const missing: string[] = [];
  let last = start;
  for (const index of start.pendingBuckets) {
    const answer = await postWithRetry<Result>(
      client,
      `${path}/reconciliations/${start.runId}/buckets`,
      { index, hashes: buckets[index]! },
    );
    if (!answer) return undefined;
    missing.push(...answer.missingHashes);
    last = answer;
  }
  if (last.status !== 'completed' || last.missingCount !== missing.length) {
    throw new Error(`the run ended as ${JSON.stringify(last)}`);
  }
  return missing;
}

/** Groups sorted hashes by their first byte. */
function toBuckets(hashes: readonly string[]): string[][] {
  const buckets = Array.from({ length: 256 }, (): string[] => []);
  for (const hash of hashes.toSorted()) buckets[Number.parseInt(hash.slice(0, 2), 16)]!.push(hash);
  return buckets;
}

const toDigest = (hashes: readonly string[]): string =>
  createHash('sha256')
    .update(Buffer.from(hashes.join(''), 'hex'))
    .digest('hex');

/** Posts the body, again after retryable errors. Returns undefined if the run has ended. */
async function postWithRetry<T>(
  client: Client,
  path: string,
  body: object,
): Promise<T | undefined> {
  for (;;) {
    const answer = await client('POST', path, body);
    if (answer.status < 300) return answer.body as T;
    const { code, retryable } = answer.body as { code?: string; retryable?: boolean };
    if (answer.status === 409 && retryable) continue;
    if (code === 'inventory_changed' || code === 'invalid_state') return undefined;
    throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  }
}

async function upload(client: Client, path: string): Promise<void> {
  const { birthtime, mtime } = await stat(path);
  const form = new FormData();
  form.set('fileCreatedAt', birthtime.toISOString());
  form.set('fileModifiedAt', mtime.toISOString());
  form.set('assetData', Bun.file(path), basename(path));
  await ask(client, 'POST', '/assets', form);
}

async function ask<T>(client: Client, method: string, path: string, body?: object): Promise<T> {
  const answer = await client(method, path, body);
  if (answer.status < 300) return answer.body as T;
  throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
}

await main();
