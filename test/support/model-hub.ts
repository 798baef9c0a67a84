import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeClip } from './generated-models.ts';

/** Commit of the only revision. */
export const COMMIT = 'a'.repeat(40);
/** Files above this size are in large file storage. */
const LARGE_BYTES = 2000;

export type ModelHub = {
  readonly url: string;
  /** The folder with the files of the repository. */
  readonly source: string;
  /** Paths that were asked for, with the range; may be emptied. */
  readonly asked: string[];
  /** Commit of the branch: another is a later one. */
  head: string;
  /** The file of which a byte is sent wrong. */
  damaged: string | undefined;
  /** Resolved before the second half of each large file is sent. */
  gate: Promise<void> | undefined;
  stop(): Promise<void>;
};

export const sha256 = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex');
const gitOid = (bytes: Uint8Array) =>
  createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');

/** Starts a hub with the API of Hugging Face, which has a small CLIP model in this repository. */
export async function startModelHub(repository: string): Promise<ModelHub> {
  const source = await mkdtemp(join(tmpdir(), 'safelight-hub-'));
  await writeClip(source, { dimension: 16, side: 32 });
  await Bun.write(join(source, 'visual/model.armnn'), 'for another runtime');
  await Bun.write(join(source, 'README.md'), 'about');
  const server = Bun.serve({ port: 0, fetch: (request) => answer(hub, repository, request) });
  const hub: ModelHub = {
    url: server.url.origin,
    source,
    asked: [],
    head: COMMIT,
    damaged: undefined,
    gate: undefined,
    async stop() {
      await server.stop(true);
      await rm(source, { recursive: true, force: true });
    },
  };
  return hub;
}

const listFiles = ({ source }: ModelHub) =>
  readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(source.length + 1))
    .toSorted();

async function describeFile({ source }: ModelHub, path: string) {
  const bytes = new Uint8Array(await readFile(join(source, path)));
  const lfs = { oid: sha256(bytes), size: bytes.length };
  const isLarge = bytes.length > LARGE_BYTES;
  return { type: 'file', path, size: bytes.length, oid: gitOid(bytes), ...(isLarge && { lfs }) };
}

/** As the hub: a list in two pages, and large files from another address. */
async function answer(hub: ModelHub, repository: string, request: Request): Promise<Response> {
  const { pathname, searchParams, origin } = new URL(request.url);
  const range = request.headers.get('range');
  hub.asked.push(`${pathname}${range ? ` ${range}` : ''}`);
  const api = `/api/models/${repository}`;
  if (pathname === `${api}/revision/main`) return Response.json({ sha: hub.head });
  if (pathname === `${api}/revision/${COMMIT}`) return Response.json({ sha: COMMIT });
  if (pathname === `${api}/tree/${COMMIT}`) {
    const files = await Promise.all(listFiles(hub).map((path) => describeFile(hub, path)));
    const isSecond = searchParams.has('cursor');
    const next = `<${origin}${pathname}?recursive=true&cursor=2>; rel="next"`;
    return Response.json(isSecond ? files.slice(3) : files.slice(0, 3), {
      headers: isSecond ? {} : { link: next },
    });
  }
  const resolved = `/${repository}/resolve/${COMMIT}/`;
  if (pathname.startsWith(resolved)) {
    const path = pathname.slice(resolved.length);
    return Response.redirect(`${origin}/storage/${path}`, 302);
  }
  if (!pathname.startsWith('/storage/')) return new Response(null, { status: 404 });
  return sendFile(hub, pathname.slice('/storage/'.length), range);
}

async function sendFile(hub: ModelHub, path: string, range: string | null): Promise<Response> {
  const bytes = new Uint8Array(await readFile(join(hub.source, path)));
  if (hub.damaged === path) bytes[0] = bytes[0]! ^ 1;
  const from = Number(/bytes=(\d+)-/.exec(range ?? '')?.[1] ?? 0);
  const rest = bytes.subarray(from);
  const { gate } = hub;
  const half = Math.floor(rest.length / 2);
  const isHeld = gate !== undefined && rest.length > LARGE_BYTES;
  const body = isHeld
    ? new ReadableStream({
        async start(controller) {
          controller.enqueue(rest.subarray(0, half));
          await gate;
          controller.enqueue(rest.subarray(half));
          controller.close();
        },
      })
    : rest;
  const headers = { 'content-length': String(rest.length) };
  return new Response(body, { status: from > 0 ? 206 : 200, headers });
}
