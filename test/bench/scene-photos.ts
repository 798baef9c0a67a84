// Photos whose scenes a person has told (scenes.json): those of packages of Debian, and of SAFELIGHT_TEST_MEDIA where
// they are. What models see in them is kept in .cache/scenes.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import sharp from 'sharp';
import { getInference } from '../../src/inference/index.ts';
import type { Analysis, Pixels, TaskResults } from '../../src/inference/types.ts';
import type { Deps } from '../../src/core/context.ts';
import scenes from './scenes.json' with { type: 'json' };

const CACHE = join(import.meta.dir, '../../.cache/scenes');

export type ScenePhoto = {
  readonly name: string;
  readonly path: string;
  /** Scenes that it shows. */
  readonly shown: ReadonlySet<string>;
  /** Scenes about which people differ: neither right nor wrong. */
  readonly unsure: ReadonlySet<string>;
};

type Told = { readonly [name: string]: string | Readonly<Record<string, string>> };

/** Fetches a package once, and returns its folder. */
export async function unpack(name: string): Promise<string> {
  const folder = join(CACHE, name);
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  await run(['apt-get', 'download', name]);
  const file = readdirSync(CACHE).find((one) => one.startsWith(`${name}_`))!;
  await run(['dpkg', '-x', file, name]);
  return folder;
}

async function run(command: string[]): Promise<void> {
  const child = Bun.spawn(command, { cwd: CACHE, stdio: ['ignore', 'ignore', 'inherit'] });
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed`);
}

const MIN_BYTES = 25_000;

/** Returns the WebP pictures of a Qt resource file (RIFF, with their length), the larger ones. */
function carve(folder: string, resource: string): string[] {
  const file = [...new Bun.Glob(`**/${resource}.rcc`).scanSync({ cwd: folder })][0]!;
  const data = readFileSync(join(folder, file));
  const paths: string[] = [];
  for (let at = data.indexOf('RIFF'); at >= 0; at = data.indexOf('RIFF', at)) {
    const isPicture = data.toString('latin1', at + 8, at + 12) === 'WEBP';
    const length = isPicture ? data.readUInt32LE(at + 4) + 8 : 4;
    if (length > MIN_BYTES) {
      const path = join(CACHE, `${resource}-${paths.length}.webp`);
      if (!existsSync(path)) writeFileSync(path, data.subarray(at, at + length));
      paths.push(path);
    }
    at += length;
  }
  return paths;
}

/** '3-5' are three pictures. */
function* listNumbers(range: string): Iterable<number> {
  const [from = 0, to = from] = range.split('-').map(Number);
  for (let at = from; at <= to; at++) yield at;
}

const toPhoto = (path: string, told: string): ScenePhoto => {
  const words = told.split(' ').filter(Boolean);
  const isUnsure = (word: string) => word.endsWith('?');
  return {
    name: basename(path),
    path,
    shown: new Set(words.filter((word) => !isUnsure(word))),
    unsure: new Set(words.filter(isUnsure).map((word) => word.slice(0, -1))),
  };
};

const PICTURE = /\.(?:jpe?g|png|webp)$/i;

async function listSourcePhotos(source: string, told: Told): Promise<ScenePhoto[]> {
  const media = process.env['SAFELIGHT_TEST_MEDIA'];
  if (source === 'media' && !media) return [];
  const folder = source === 'media' ? media! : await unpack(source);
  const files = [...new Bun.Glob('**/*').scanSync({ cwd: folder })].filter((file) =>
    PICTURE.test(file),
  );
  return Object.entries(told).flatMap(([name, value]) => {
    if (typeof value !== 'string') {
      const paths = carve(folder, name);
      return Object.entries(value).flatMap(([range, words]) =>
        [...listNumbers(range)].flatMap((at) => (paths[at] ? [toPhoto(paths[at], words)] : [])),
      );
    }
    const file = files
      .filter((one) => one.includes(`/${name}.`) || one.includes(`/${name}/contents/images/`))
      .toSorted()[0];
    return file ? [{ ...toPhoto(join(folder, file), value), name }] : [];
  });
}

/** Those of some sources or of all, sorted by name. */
export async function listScenePhotos(
  sources: readonly string[] = Object.keys(scenes),
): Promise<ScenePhoto[]> {
  const told = scenes as Readonly<Record<string, Told>>;
  const all = await Promise.all(sources.map((source) => listSourcePhotos(source, told[source]!)));
  return all.flat().toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

export type SeenScene = Pick<TaskResults, 'labels' | 'objects' | 'text'> &
  Pick<Analysis, 'colours' | 'layout'>;

async function decodePhoto(path: string): Promise<Pixels> {
  const fitted = sharp(path, { failOn: 'none', limitInputPixels: false })
    .autoOrient()
    .resize(1000, 1000, { fit: 'inside' })
    .flatten({ background: '#fff' });
  const { data, info } = await fitted
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data: new Uint8Array(data) };
}

/** Analyses each picture once. */
export async function analyzeScenes(
  deps: Deps,
  photos: readonly ScenePhoto[],
): Promise<ReadonlyMap<string, SeenScene>> {
  const file = join(CACHE, 'analysis.json');
  const seen: Record<string, SeenScene> = existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : {};
  for (const { name, path } of photos) {
    if (seen[name]) continue;
    const tasks = ['objects', 'labels', 'text'] as const;
    const { results, colours, layout } = await getInference(deps).analyze(
      await decodePhoto(path),
      tasks,
    );
    const { labels = [], objects = [], text = [] } = results;
    seen[name] = { labels, objects, text, colours, layout };
  }
  writeFileSync(file, JSON.stringify(seen));
  return new Map(Object.entries(seen));
}
