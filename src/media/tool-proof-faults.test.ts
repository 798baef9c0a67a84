import { randomUUIDv7 } from 'bun';
import { afterAll, afterEach, describe, expect, test } from 'bun:test';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeClip } from '../../test/fixtures/clips.ts';
import { flat, openFixtures, tag } from '../../test/fixtures/index.ts';
import {
  PROGRAM_FAULTS,
  type ProgramFault,
  replacePrograms,
} from '../../test/support/replaced-programs.ts';
import { isMachineFault } from '../jobs/machine-faults.ts';
import { writeGreyAlphaTga } from '../../test/support/rare-pictures.ts';
import { createExifTool } from './exiftool.ts';
import { closeImageChildren } from './image-children.ts';
import { renderImage } from './images.ts';
import { renderPoster } from './poster.ts';
import { probe } from './probe.ts';
import { withSample } from './tool-samples.ts';

const fixtures = openFixtures();
const programs = replacePrograms(fixtures.folder);
afterAll(async () => {
  programs.restore();
  await closeImageChildren();
  fixtures.remove();
});

const tempDir = fixtures.folder;
const clip = makeClip(
  join(tempDir, 'clip.mp4'),
  '-f lavfi -i testsrc=size=64x48:rate=5:duration=1 -pix_fmt yuv420p'.split(' '),
);
const photo = fixtures.path('photo.jpg');
await flat([1, 2, 3]).jpeg().toFile(photo);
tag(photo, '-Make=Acme');
const copy = (name: 'heic' | 'raw', fileName: string) =>
  withSample(name, async (path) => {
    const bytes = await Bun.file(path).bytes();
    writeFileSync(fixtures.path(fileName), bytes);
    return fixtures.path(fileName);
  });
const heic = await copy('heic', 'a.heic');
const raw = await copy('raw', 'a.dng');
const tga = fixtures.path('a.tga');
writeFileSync(tga, writeGreyAlphaTga(false));
const copyClip = (): string => {
  const path = fixtures.path(`${randomUUIDv7()}.mp4`);
  copyFileSync(clip, path);
  return path;
};
const noise = (name: string, head: string): string => {
  writeFileSync(
    fixtures.path(name),
    Buffer.concat([Buffer.from(head, 'latin1'), Buffer.alloc(999, 9)]),
  );
  return fixtures.path(name);
};
const render = (path: string) => renderImage(path, { fileName: path, tempDir });

async function readTags(path: string): Promise<unknown> {
  const files = { read: [fixtures.folder], write: [fixtures.folder] };
  const exiftool = createExifTool({ files });
  try {
    return (await exiftool.read(path))['Make'];
  } finally {
    await exiftool.close();
  }
}

/** By the program that is broken: what is done with a good file, and with one that is not. */
const TOOLS: Readonly<
  Record<string, { good: () => Promise<unknown>; bad?: () => Promise<unknown> }>
> = {
  perl: { good: () => readTags(photo) },
  // A file that was probed is not probed again.
  ffprobe: {
    good: () => probe(copyClip()),
    bad: () => probe(noise('bad.mp4', '\0\0\0\x18ftypmp42')),
  },
  ffmpeg: { good: () => renderPoster(clip, { tempDir }) },
  'heif-convert': {
    good: () => render(heic),
    bad: () => render(noise('bad.heic', '\0\0\0\x18ftypheic')),
  },
  convert: { good: () => render(tga), bad: () => render(noise('bad.tga', '\0\0\x0a')) },
  dcraw_emu: { good: () => render(raw), bad: () => render(noise('bad.nef', 'MM\0*')) },
  bun: {
    good: () => render(photo),
    bad: () => render(noise('bad.jpg', '\xff\xd8\xff\xe0')),
  },
};
const toError = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe.each(Object.entries(TOOLS))('%s', (program, { good, bad }) => {
  afterEach(() => programs.repair(program));

  test.each(Object.keys(PROGRAM_FAULTS) as ProgramFault[])(
    'that %s is a fault of the machine, and no verdict on a file',
    async (fault) => {
      await closeImageChildren();
      programs.break(program, fault);
      for (const work of [good, bad ?? good]) {
        const error = await toError(work());
        expect([fault, String(error), isMachineFault(error)]).toEqual([fault, String(error), true]);
      }
      programs.repair(program);
      expect(await good()).toBeDefined();
    },
  );
});

test.each(
  Object.entries(TOOLS).flatMap(([program, { bad }]) => (bad ? [[program, bad] as const] : [])),
)('%s that works says of a bad file that it is broken', async (_, bad) => {
  expect(await toError(bad())).toMatchObject({ name: 'MediaError', kind: 'broken' });
});

test('a file without tags has none', async () => {
  const bare = fixtures.path('bare.jpg');
  await flat([4, 5, 6]).jpeg().toFile(bare);
  expect(await readTags(bare)).toBeUndefined();
});
