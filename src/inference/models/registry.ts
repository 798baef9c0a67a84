import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { readFetchedJson } from '../../core/fetched-json.ts';

/** As published: where the archive of a package is, and its digest (SRI, sha512). */
export type PackageVersion = { readonly tarball: string; readonly integrity: string | undefined };

const DEFAULT_REGISTRY = 'https://registry.npmjs.org/';

/**
 * The npm registry that this machine uses: the environment's, npm's own answer where npm is
 * installed, or the user's file. It ends with a slash.
 */
export function findRegistry(
  env: Readonly<Record<string, string | undefined>> = process.env,
): string {
  const found =
    env['npm_config_registry'] ??
    env['NPM_CONFIG_REGISTRY'] ??
    askNpm() ??
    readUserFile() ??
    DEFAULT_REGISTRY;
  return found.endsWith('/') ? found : `${found}/`;
}

function askNpm(): string | undefined {
  const npm = Bun.which('npm');
  if (!npm) return undefined;
  const { stdout, success } = Bun.spawnSync([npm, 'config', 'get', 'registry'], {
    stderr: 'ignore',
    timeout: 10_000,
  });
  const text = stdout.toString().trim();
  return success && URL.canParse(text) ? text : undefined;
}

function readUserFile(): string | undefined {
  const path = join(homedir(), '.npmrc');
  if (!existsSync(path)) return undefined;
  return /^registry\s*=\s*(\S+)/m.exec(readFileSync(path, 'utf8'))?.[1];
}

/** Throws with the answer of the registry, or that it is unreachable. */
export async function findPackage(
  registry: string,
  name: string,
  version: string,
): Promise<PackageVersion> {
  const response = await fetch(`${registry}${name.replace('/', '%2f')}/${version}`, {
    signal: AbortSignal.timeout(30_000),
  });
  if (!response.ok) throw new Error(`${name}@${version}: the registry says ${response.status}`);
  const { dist } = (await readFetchedJson(response)) as {
    readonly dist?: { readonly tarball?: string; readonly integrity?: string };
  };
  if (!dist?.tarball) throw new Error(`${name}@${version}: the registry names no archive`);
  return { tarball: dist.tarball, integrity: dist.integrity };
}

/** `@scope/name@1.2.3` in its parts. */
export function splitPackage(spec: string): { readonly name: string; readonly version: string } {
  const at = spec.lastIndexOf('@');
  return { name: spec.slice(0, at), version: spec.slice(at + 1) };
}
