import { readFetchedJson } from '../../core/fetched-json.ts';
import type { CatalogueFile, CatalogueModel } from './catalogue-entry.ts';

// Models of a hub with the API of Hugging Face, which states the digest of each file of a revision.

const DEFAULT_HUB = 'https://huggingface.co';
const TIMEOUT_MS = 30_000;

/** Returns the hub that this machine uses: HF_ENDPOINT names a mirror, as for the hub's own tools. */
export const findHub = (env: Readonly<Record<string, string | undefined>> = process.env): string =>
  (env['HF_ENDPOINT'] ?? DEFAULT_HUB).replace(/\/+$/, '');

type TreeEntry = {
  readonly type: string;
  readonly path: string;
  readonly size: number;
  /** SHA-1 of the file as a blob of git. */
  readonly oid: string;
  /** SHA-256 of the content of a large file. */
  readonly lfs?: { readonly oid: string; readonly size: number };
};

/**
 * Returns the model with the files of its revision as the hub lists them, and the commit that the revision is. Throws with
 * the answer of the hub, or that it is unreachable.
 */
export async function resolveHubModel(
  model: CatalogueModel,
  { repository, isWanted }: NonNullable<CatalogueModel['hub']>,
  { hub, revision }: { readonly hub: string; readonly revision: string },
): Promise<CatalogueModel> {
  const api = `${hub}/api/models/${repository}`;
  const { sha } = (await readFetchedJson(await ask(`${api}/revision/${revision}`))) as {
    sha?: unknown;
  };
  if (typeof sha !== 'string' || !/^[\da-f]{40}$/.test(sha)) {
    throw new Error(`${repository}: the hub does not say which commit ${revision} is`);
  }
  const entries = await listTree(`${api}/tree/${sha}?recursive=true`);
  const files = entries.flatMap((entry) =>
    entry.type === 'file' && isWanted.test(entry.path)
      ? [toFile(entry, `${hub}/${repository}/resolve/${sha}/${entry.path}`)]
      : [],
  );
  const missing = model.files.filter(({ path }) => !files.some((file) => file.path === path));
  if (missing.length > 0) {
    const paths = missing.map(({ path }) => path).join(', ');
    throw new Error(`${repository} has no ${paths} in ${revision}`);
  }
  // The folder becomes a model with the last of the files that it must have.
  const last = model.files.at(-1)?.path;
  files.sort((a, b) => Number(a.path === last) - Number(b.path === last));
  return { ...model, files, notes: { ...model.notes, repository, revision: sha } };
}

/** The hub lists a thousand files on each. */
const MAX_PAGES = 20;

async function listTree(first: string): Promise<TreeEntry[]> {
  const entries: TreeEntry[] = [];
  let url: string | undefined = first;
  for (let pages = 0; url !== undefined && pages < MAX_PAGES; pages += 1) {
    const response: Response = await ask(url);
    entries.push(...((await readFetchedJson(response)) as TreeEntry[]));
    url = /<([^>]+)>;\s*rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
  }
  return entries;
}

async function ask(url: string): Promise<Response> {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  return response;
}

function toFile({ path, size, oid, lfs }: TreeEntry, url: string): CatalogueFile {
  if (path.startsWith('/') || path.split('/').includes('..')) {
    throw new Error(`The hub names a file outside of the model: ${path}`);
  }
  return {
    path,
    sha256: lfs?.oid,
    gitOid: lfs ? undefined : oid,
    bytes: lfs?.size ?? size,
    sources: [{ url }],
  };
}
