// bun native/build.ts [--target=linux-x64|linux-arm64] [--out=dist/safelight] [--entry=src/main.ts]
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { brotliCompressSync, constants, zstdCompressSync } from 'node:zlib';
import type { BunPlugin } from 'bun';
import { isCompressible } from '../src/http/compress.ts';
import { readExifTool } from './exiftool-archive.ts';
import { stripSymbols } from './strip-symbols.ts';
import { buildWebFiles, type BuiltWebFile } from './web-files.ts';

const ROOT = join(import.meta.dir, '..');
const LOAD = join(import.meta.dir, 'load.ts');
const STARTED = performance.now();

const { values } = parseArgs({
  options: {
    target: { type: 'string', default: `linux-${process.arch}` },
    out: { type: 'string', default: 'dist/safelight' },
    entry: { type: 'string', default: 'src/main.ts' },
  },
});
const { out, entry } = values;
const target = parseTarget(values.target);

const OUTFILE = resolve(ROOT, out);
mkdirSync(dirname(OUTFILE), { recursive: true });
/** Where the binary is until it is whole. */
const WORK = mkdtempSync(join(dirname(OUTFILE), '.build-'));
const FILE_LIST = join(import.meta.dir, `files.${target}.ts`);

function parseTarget(name: string): 'linux-x64' | 'linux-arm64' {
  if (name === 'linux-x64' || name === 'linux-arm64') return name;
  throw new Error(`No target ${name}`);
}

async function build(): Promise<void> {
  const webFiles = embedWebFiles(await buildWebFiles());
  const exifTool = embedExifTool();
  const native = embedNativeFiles(exifTool.digest);
  const replaced = new Set<string>();
  // Its name goes into the binary: the same as at the end.
  const outfile = join(WORK, basename(OUTFILE));
  const built = await Bun.build({
    entrypoints: [resolve(ROOT, entry), ...workers()],
    root: ROOT,
    target: 'bun',
    format: 'esm',
    bytecode: true,
    splitting: true,
    sourcemap: 'none',
    // Names stay: they are in stack traces, and some libraries look at them.
    minify: { whitespace: true, syntax: true, identifiers: false },
    define: {
      NATIVE_DIGEST: JSON.stringify(native.digest),
      SOURCE_COMMIT: JSON.stringify(readCommit()) ?? 'undefined',
      'Bun.isStandaloneExecutable': 'true',
      'process.env.NODE_ENV': '"production"',
    },
    compile: {
      target: `bun-${target}`,
      outfile,
      autoloadDotenv: false,
      autoloadBunfig: false,
    },
    plugins: [
      embedAddons(replaced),
      provide('#native-files', native.source),
      provide('#web-files', webFiles),
      provide('#exiftool', exifTool.source),
    ],
  });
  for (const log of built.logs) console.error(log);
  for (const name of ['sharp', 'onnxruntime-node', '@roamhq/wrtc']) {
    // A command that does not need it has left it out, or the package changed its shape.
    if (!replaced.has(name)) throw new Error(`${name} was not replaced: its loader has moved`);
  }
  // A server that runs from the old file keeps it.
  renameSync(outfile, OUTFILE);
  const size = (statSync(OUTFILE).size / 1e6).toFixed(1);
  const seconds = ((performance.now() - STARTED) / 1000).toFixed(1);
  console.log(`built ${relative(process.cwd(), OUTFILE)}, ${size} MB, in ${seconds} s`);
}

function workers(): string[] {
  return [...new Bun.Glob('workers/*.ts').scanSync(ROOT)]
    .filter((path) => !path.endsWith('.test.ts'))
    .sort()
    .map((path) => join(ROOT, path));
}

/** The list for this target with the compressed files and their sizes, and a digest of them all and of `more`. */
function embedNativeFiles(more: string): { readonly source: string; readonly digest: string } {
  const hash = createHash('sha256').update(more);
  let count = 0;
  const source = readFileSync(FILE_LIST, 'utf8').replaceAll(
    /^import (\w+) from '(\.[^']+)' with .*$/gm,
    (_, name: string, listed: string) => {
      const bytes = readNative(nativePath(join(import.meta.dir, listed)));
      hash.update(bytes);
      count += 1;
      const digest = createHash('sha256').update(bytes).digest('hex');
      const path = cacheFile(`${name}-${digest.slice(0, 24)}.zst`, () => zstd(bytes));
      return (
        `import ${name}Path from ${JSON.stringify(path)} with { type: 'file' };\n` +
        `const ${name} = { path: ${name}Path, size: ${bytes.length} };`
      );
    },
  );
  if (count !== 7) throw new Error(`${FILE_LIST} should import 7 files, not ${count}`);
  return { source, digest: hash.digest('hex') };
}

/** The symbols of WebRTC are a fifth of it. */
function readNative(path: string): Uint8Array {
  const bytes = readFileSync(path);
  return basename(path) === 'wrtc.node' ? stripSymbols(bytes) : bytes;
}

const FOREIGN = join(ROOT, '.cache', target);

function nativePath(path: string): string {
  if (existsSync(path)) return path;
  const other = join(FOREIGN, relative(ROOT, path));
  if (!existsSync(other)) installForeign();
  if (!existsSync(other)) throw new Error(`${path} is missing: a package has another version`);
  return other;
}

/** Returns the commit of the sources; undefined when they were changed since, or are in no repository. */
function readCommit(): string | undefined {
  if (!Bun.which('git')) return undefined;
  const git = (...args: string[]) =>
    Bun.spawnSync(['git', ...args], { cwd: ROOT, stderr: 'ignore' });
  const status = git('status', '--porcelain', '--untracked-files=no');
  if (status.exitCode !== 0 || status.stdout.length > 0) return undefined;
  return git('rev-parse', 'HEAD').stdout.toString().trim();
}

/** `bun install` leaves out packages for another architecture; this gets them beside ours. */
function installForeign(): void {
  mkdirSync(FOREIGN, { recursive: true });
  for (const file of ['package.json', 'bun.lock']) {
    writeFileSync(join(FOREIGN, file), readFileSync(join(ROOT, file)));
  }
  const patches = 'native/patches';
  cpSync(join(ROOT, patches), join(FOREIGN, patches), { recursive: true });
  const [os = '', cpu = ''] = target.split('-');
  const { exitCode } = Bun.spawnSync(
    [
      process.execPath,
      'install',
      '--frozen-lockfile',
      '--production',
      `--os=${os}`,
      `--cpu=${cpu}`,
    ],
    { cwd: FOREIGN, stdout: 'inherit', stderr: 'inherit' },
  );
  if (exitCode !== 0) throw new Error(`The packages for ${target} could not be installed`);
}

/** The packages look for their native file on disk; in the binary they ask native/load.ts. */
function embedAddons(replaced: Set<string>): BunPlugin {
  const load = (name: string) =>
    `require(${JSON.stringify(LOAD)}).loadAddon(${JSON.stringify(name)})`;
  return {
    name: 'embed-addons',
    setup(builder) {
      builder.onLoad({ filter: /node_modules\/sharp\/dist\/sharp\.mjs$/ }, () => {
        replaced.add('sharp');
        const contents = `import { loadAddon } from ${JSON.stringify(LOAD)};\nexport default loadAddon('sharp');`;
        return { loader: 'js', contents };
      });
      builder.onLoad({ filter: /node_modules\/sharp\/dist\/sharp\.cjs$/ }, () => {
        replaced.add('sharp');
        return { loader: 'js', contents: `module.exports = ${load('sharp')};` };
      });
      builder.onLoad({ filter: /onnxruntime-node\/dist\/binding\.js$/ }, ({ path }) => {
        const source = readFileSync(path, 'utf8');
        const contents = source.replace(
          /require\(`\.\.\/bin\/[^`]+onnxruntime_binding\.node`\)/,
          load('onnxruntime-node'),
        );
        if (contents !== source) replaced.add('onnxruntime-node');
        return { loader: 'js', contents };
      });
      builder.onLoad({ filter: /@roamhq\/wrtc\/lib\/binding\.js$/ }, () => {
        replaced.add('@roamhq/wrtc');
        return { loader: 'js', contents: `module.exports = ${load('@roamhq/wrtc')};` };
      });
    },
  };
}

/** A module that exists in the build only. No path of it can then change the binary. */
function provide(name: string, source: string): BunPlugin {
  return {
    name: `provide ${name}`,
    setup(builder) {
      builder.onResolve({ filter: new RegExp(`^${name}$`) }, ({ path }) => ({
        path,
        namespace: 'generated',
      }));
      builder.onLoad({ filter: new RegExp(`^${name}$`), namespace: 'generated' }, () => ({
        loader: 'ts',
        contents: source,
      }));
    },
  };
}

const CACHE = join(ROOT, '.cache/web');

/** Returns the path of a file that is encoded once for all builds. */
function cacheFile(name: string, encode: () => Uint8Array): string {
  mkdirSync(CACHE, { recursive: true });
  const path = join(CACHE, name);
  if (!existsSync(path)) {
    const temporary = `${path}.${process.pid}`;
    writeFileSync(temporary, encode());
    renameSync(temporary, path);
  }
  return path;
}

function embedExifTool(): { readonly source: string; readonly digest: string } {
  const { contents, ...exifTool } = readExifTool();
  const path = cacheFile(`exiftool-${exifTool.digest.slice(0, 24)}.zst`, () => zstd(contents));
  const source = [
    `import archive from ${JSON.stringify(path)} with { type: 'file' };`,
    `export const exifTool = ${JSON.stringify(exifTool)};`,
    'export { archive };',
  ].join('\n');
  return { source, digest: exifTool.digest };
}

/** Encodes each file once, so that nothing is left to do when it is asked for. */
function embedWebFiles(files: readonly BuiltWebFile[]): string {
  const imports: string[] = [];
  const embed = (name: string, encode: () => Uint8Array): string => {
    const variable = `file${imports.length}`;
    const path = cacheFile(name, encode);
    imports.push(`import ${variable} from ${JSON.stringify(path)} with { type: 'file' };`);
    return variable;
  };
  const entries = files.map(({ bytes, ...file }) => {
    const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 24);
    const embedded = isCompressible(file.type)
      ? `br: ${embed(`${digest}.br`, () => brotli(bytes))}`
      : `identity: ${embed(`${digest}.bin`, () => bytes)}`;
    return `  { ...${JSON.stringify({ ...file, digest })}, embedded: { ${embedded} } },`;
  });
  return `${imports.join('\n')}\nexport const webFiles = [\n${entries.join('\n')}\n];\n`;
}

/** Level 19 takes 60 s for the 99 MB of native files and saves 4 MB. */
const zstd = (bytes: Uint8Array) =>
  zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 9 } });

/** Longer files are data that no page begins with; the best quality takes 20 s for them and saves a tenth. */
const BEST_QUALITY_BYTES = 1e6;

const brotli = (bytes: Uint8Array) =>
  brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: bytes.length <= BEST_QUALITY_BYTES ? 11 : 9,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });

try {
  await build();
} finally {
  rmSync(WORK, { recursive: true });
}
