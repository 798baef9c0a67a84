import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPhotos } from '../photo-upload.ts';
import type { Step } from './groups.ts';
import type { Row } from './measures.ts';

const FILES = 10;
const SCRIPTS = {
  'our sizes by vipsthumbnail':
    'vipsthumbnail "$@" -s 2016 -o %s-p.jpg[Q=80] && vipsthumbnail "$@" -s 333 -o %s-t.webp[Q=80]',
  'sizes of Immich by vipsthumbnail':
    'vipsthumbnail "$@" -s 1440 -o %s-p.jpg && vipsthumbnail "$@" -s 250 -o %s-t.webp',
};

/**
 * The pictures that are made of a 12 MP photo, by libvips alone: no upload, no digests, no metadata, no
 * database. It decodes each file twice, for it makes one size at a time. Tells the speed of the machine.
 */
export const createVipsStep = (table: string): Step => ({
  name: 'vipsthumbnail',
  async run() {
    if (Bun.which('vipsthumbnail') === null) {
      return [
        { table, name: 'vipsthumbnail', values: {}, note: 'not measured, it is not installed' },
      ];
    }
    const folder = mkdtempSync(join(tmpdir(), 'figures-vips-'));
    try {
      const files = await writePhotos(folder);
      return Object.entries(SCRIPTS).map(([name, script]): Row => ({
        table,
        name,
        values: { cpuMs: measureScript(script, files) },
      }));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
});

async function writePhotos(folder: string): Promise<string[]> {
  const createPhoto = await createPhotos();
  const files: string[] = [];
  for (let n = 0; n < FILES; n++) {
    const file = join(folder, `${n}.jpg`);
    await Bun.write(file, createPhoto());
    files.push(file);
  }
  return files;
}

/** Returns the CPU milliseconds of a shell script by file. Throws when it fails. */
function measureScript(script: string, files: readonly string[]): number {
  const { exitCode, stderr, resourceUsage } = Bun.spawnSync(['sh', '-c', script, 'x', ...files], {
    env: { ...process.env, VIPS_CONCURRENCY: '1' },
  });
  if (exitCode !== 0) throw new Error(`vipsthumbnail: ${stderr.toString()}`);
  return Number(resourceUsage.cpuTime.total) / 1000 / files.length;
}
