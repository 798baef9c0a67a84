import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// The binary installed away from its sources, run by an unprivileged user.

const ROOT = join(import.meta.dir, '../..');
export const NOBODY = 65_534;
export const isRoot = process.getuid?.() === 0;

type Place = { readonly cwd: string; readonly home: string };
type How = { env?: Record<string, string>; through?: readonly string[] };
export type Installed = ReturnType<typeof installBinary>;

/** The binary, and an ONNX model that adds x to itself, where nothing of node_modules is found. */
export function installBinary() {
  const base = mkdtempSync(join(tmpdir(), 'binary-'));
  chmodSync(base, 0o755);
  const binary = join(base, 'safelight');
  copyFileSync(builtBinary(), binary);
  chmodSync(binary, 0o755);
  const model = join(base, 'double.onnx');
  writeFileSync(model, doublingModel());
  const start = (
    { cwd, home }: Place,
    args: readonly string[],
    { env = {}, through = [] }: How = {},
  ) =>
    Bun.spawn([...asOrdinaryUser, ...through, binary, ...args], {
      cwd,
      env: { PATH: '/usr/bin:/bin', HOME: home, ...env },
      stdout: 'pipe',
      stderr: 'pipe',
    });
  return {
    base,
    binary,
    model,
    start,
    /** An empty working folder and an empty home, of an ordinary user. */
    emptyPlace(): Place {
      const cwd = mkdtempSync(join(base, 'cwd-'));
      const home = mkdtempSync(join(base, 'home-'));
      if (isRoot) for (const folder of [cwd, home]) chownSync(folder, NOBODY, NOBODY);
      return { cwd, home };
    },
    async run(...params: Parameters<typeof start>) {
      const child = start(...params);
      const [output, errors, code] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
        child.exited,
      ]);
      return { output, errors, code };
    },
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

export const asOrdinaryUser = isRoot
  ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups']
  : [];

/** The one that the caller names (`make test` does), else one that is as new as the sources. */
export function builtBinary(): string {
  const named = process.env['SAFELIGHT_TEST_BINARY'];
  if (named) return named;
  const built = join(ROOT, 'dist/safelight');
  if (!isUpToDate(built)) {
    const { exitCode, stderr } = Bun.spawnSync([process.execPath, 'native/build.ts'], {
      cwd: ROOT,
    });
    if (exitCode !== 0) throw new Error(stderr.toString());
  }
  return built;
}

/** Slow to build: a binary that is newer than every source is taken as it is. */
function isUpToDate(path: string): boolean {
  if (!existsSync(path)) return false;
  const built = statSync(path).mtimeMs;
  const files = ['src', 'workers', 'native', 'migrations'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => !name.endsWith('.test.ts'))
      .map((name) => join(ROOT, folder, name)),
  );
  const packages = [join(ROOT, 'bun.lock')];
  return [...files, ...packages].every((file) => statSync(file).mtimeMs <= built);
}

/** An ONNX model that adds x to itself, in the wire format of protobuf. */
export function doublingModel(): Buffer {
  const field = (number: number, value: string | Buffer): Buffer => {
    const bytes = Buffer.from(value);
    return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
  };
  const int = (number: number, value: number) => Buffer.from([number << 3, value]);
  const message = (...fields: Buffer[]) => Buffer.concat(fields);
  const vector = (name: string) => {
    const shape = field(2, field(1, int(1, 2)));
    return message(field(1, name), field(2, field(1, message(int(1, 1), shape))));
  };
  const node = message(field(1, 'x'), field(1, 'x'), field(2, 'y'), field(4, 'Add'));
  const graph = message(
    field(1, node),
    field(2, 'g'),
    field(11, vector('x')),
    field(12, vector('y')),
  );
  return message(int(1, 8), field(7, graph), field(8, int(2, 13)));
}

export const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true, encoding: 'utf8' })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
