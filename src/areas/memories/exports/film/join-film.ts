import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { syncPath } from '../../../../media/file-placement.ts';
import { runFilmTool } from '../../../../media/film-encoding.ts';
import { FFMPEG } from '../../../../media/probe.ts';
import { CHANNELS, SAMPLE_RATE } from './sound.ts';

export type FilmParts = {
  readonly folder: string;
  /** Names of the parts without '.mp4' and '.pcm', in order. */
  readonly names: readonly string[];
  readonly title: string;
  readonly createdAt: Date;
  readonly signal: AbortSignal;
};

/** Joins the parts, whose pictures are copied, into `target`, with its index at the front. */
export async function joinFilm(target: string, parts: FilmParts): Promise<void> {
  const { folder, names, title, createdAt, signal } = parts;
  await Bun.write(join(folder, 'parts.txt'), names.map((name) => `file ${name}.mp4\n`).join(''));
  await joinSound(folder, names);
  const pictures = ['-protocol_whitelist', 'file', '-f', 'concat', '-i', 'parts.txt'];
  const raw = ['-f', 's16le', '-ar', String(SAMPLE_RATE), '-ac', String(CHANNELS)];
  const output = join(folder, 'film.part');
  const command = [
    ...FFMPEG,
    ...pictures,
    ...raw,
    '-i',
    'sound.pcm',
    '-map',
    '0:v',
    '-map',
    '1:a',
    '-c:v',
    'copy',
    '-c:a',
    'aac',
    '-b:a',
    '160k',
    '-map_metadata',
    '-1',
    '-metadata',
    `title=${title.replaceAll('\0', '')}`,
    '-metadata',
    `creation_time=${createdAt.toISOString()}`,
    '-movflags',
    '+faststart',
    '-f',
    'mp4',
    `file:${output}`,
  ];
  await runFilmTool(command, { folder, inputs: [], signal });
  await syncPath(output);
  await rename(output, target);
}

async function joinSound(folder: string, names: readonly string[]): Promise<void> {
  const file = await open(join(folder, 'sound.pcm'), 'w', 0o600);
  try {
    for (const name of names)
      await file.writeFile(await Bun.file(join(folder, `${name}.pcm`)).bytes());
  } finally {
    await file.close();
  }
}
