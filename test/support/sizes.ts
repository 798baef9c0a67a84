import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize, relative } from 'node:path';
import { jobs } from '../../src/job-registry.ts';
import { listTables } from './schema-document.ts';

const ROOT = join(import.meta.dir, '../..');
const PRODUCT_FOLDERS = ['src', 'workers', 'native', 'migrations', 'appliance'];
const FOLDERS = [...PRODUCT_FOLDERS, 'test', '.ci'];
const ROOT_FILES = ['Makefile', 'README.md', 'bunfig.toml', '.gitignore'];
/** The folders whose folders have a row each; '.' is the root. */
const OPEN = ['.', 'src', 'src/areas', 'src/web', 'src/web/pages', 'native', 'appliance', 'test'];

const MOST_LINES = 300;
const MOST_LINES_OF_FUNCTION = 60;

/** Rows by name: lines and files, or one count. */
export type Sizes = ReadonlyMap<string, readonly number[]>;
type Source = { readonly file: string; readonly text: string; readonly lines: number };

const isTest = (file: string): boolean => file.startsWith('test/') || /\.test\.tsx?$/.test(file);

/** True for what nobody reads as code: data, texts of other people, and what a command writes. */
const isData = (file: string): boolean =>
  /\.(?:json|tsv|txt|lock|webp|bin|so|dump|heic|avif|opus)$/.test(file) ||
  file.startsWith('src/web/locales/') ||
  file === 'migrations/README.md';

function listSources(): Source[] {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(ROOT, join(parentPath, name))),
  ).filter((file) => !isData(file));
  return [...ROOT_FILES, ...files].flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'latin1');
    // Programs that were compiled have no ending.
    return text.includes('\0') ? [] : [{ file, text, lines: text.split('\n').length - 1 }];
  });
}

function listRows(file: string): string[] {
  const folders: string[] = [];
  for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) {
    if (OPEN.includes(dirname(folder))) folders.push(folder);
  }
  if (file.startsWith('test/')) return folders;
  if (isTest(file)) return ['tests beside the product'];
  const isSingle = ['.', 'src'].includes(dirname(file));
  return [
    'product',
    ...folders,
    ...(isSingle ? [normalize(`${dirname(file)}/*`)] : []),
    ...(file.endsWith('.css') ? ['src/web/**/*.css'] : []),
  ];
}

/** Returns how many modules are imported by exactly one other. */
function countImportedOnce(sources: readonly Source[]): number {
  const importers = new Map<string, number>();
  for (const { file, text } of sources) {
    const imports = text.matchAll(/\b(?:from|import\s*\(?)\s*'(\.[^']+\.tsx?)'/g);
    const targets = [...imports].map(([, path]) => normalize(join(dirname(file), path!)));
    for (const target of new Set(targets)) importers.set(target, (importers.get(target) ?? 0) + 1);
  }
  return sources.filter(({ file }) => importers.get(file) === 1).length;
}

/** Returns how many functions of the product are too long. The linter counts their lines. */
function countLongFunctions(): number {
  const folder = mkdtempSync(join(tmpdir(), 'safelight-sizes-'));
  const config = join(folder, 'oxlintrc.json');
  const rule = ['error', { max: MOST_LINES_OF_FUNCTION }];
  try {
    const options = {
      categories: { correctness: 'off' },
      rules: { 'eslint/max-lines-per-function': rule },
    };
    writeFileSync(config, JSON.stringify(options));
    const { stdout, stderr } = Bun.spawnSync(
      [process.execPath, 'x', 'oxlint', '-c', config, '--format=json', ...PRODUCT_FOLDERS],
      { cwd: ROOT, stdout: 'pipe', stderr: 'pipe' },
    );
    const text = stdout.toString();
    if (!text.startsWith('{')) throw new Error(`oxlint: ${text}${stderr.toString()}`);
    const { diagnostics } = JSON.parse(text) as { diagnostics: { filename: string }[] };
    return diagnostics.filter(({ filename }) => !isTest(filename)).length;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Measures the tree as it lies on the disk, whether git knows the files or not. */
export function measureSizes(): Sizes {
  const sources = listSources();
  const sizes = new Map<string, [lines: number, files: number]>();
  for (const { file, lines } of sources) {
    for (const name of listRows(file)) {
      const [before, files] = sizes.get(name) ?? [0, 0];
      sizes.set(name, [before + lines, files + 1]);
    }
  }
  const product = sources.filter(({ file }) => !isTest(file));
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    dependencies: object;
  };
  const counts = Object.entries({
    'packages at run time': Object.keys(dependencies).length,
    'database tables': listTables().length,
    'background jobs': jobs.length,
    [`functions over ${MOST_LINES_OF_FUNCTION} lines`]: countLongFunctions(),
    [`files over ${MOST_LINES} lines`]: product.filter(({ lines }) => lines > MOST_LINES).length,
    'files with one importer': countImportedOnce(product),
  }).map(([name, count]) => [name, [count]] as const);
  const byName = [...sizes].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return new Map<string, readonly number[]>([...counts, ...byName]);
}

const formatRow = (name: string, numbers: readonly number[]): string =>
  [name, ...numbers].join('\t');

const HEADER = 'name\tlines or count\tfiles';

export const formatSizes = (sizes: Sizes): string =>
  `${[HEADER, ...[...sizes].map(([name, numbers]) => formatRow(name, numbers))].join('\n')}\n`;

export function parseSizes(text: string): Sizes {
  const rows = text.trimEnd().split('\n').slice(1);
  return new Map(
    rows.map((row) => {
      const [name = '', ...numbers] = row.split('\t');
      return [name, numbers.map(Number)];
    }),
  );
}

/** Returns a sentence for each row where the tree is larger than allowed, or smaller by more than one in a hundred. */
export function compareSizes(allowed: Sizes, found: Sizes): string[] {
  const faults: string[] = [];
  for (const [name, numbers] of found) {
    const row = `write ${JSON.stringify(formatRow(name, numbers))}`;
    const limits = allowed.get(name);
    if (!limits) {
      faults.push(`${name} has no row: ${row}`);
      continue;
    }
    const units = numbers.length > 1 ? [' lines', ' files'] : [''];
    units.forEach((unit, at) => {
      const [count, most] = [numbers[at] ?? 0, limits[at] ?? 0];
      if (count > most) {
        faults.push(`${name}: ${count}${unit}, ${count - most} more than allowed: take them away`);
      } else if (most - count > most / 100) {
        faults.push(`${name}: ${count}${unit}, ${most - count} fewer than allowed: ${row}`);
      }
    });
  }
  for (const name of allowed.keys()) {
    if (!found.has(name)) faults.push(`${name} is no more: remove its row`);
  }
  return faults;
}
