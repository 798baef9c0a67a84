import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { joinFilmParts } from '../../../../media/film-encoding.ts';

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
  await joinSound(folder, names);
  const output = await joinFilmParts({
    folder,
    names: names.map((name) => `${name}.mp4`),
    sound: { name: SOUND, bitrate: '160k' },
    title,
    createdAt,
    signal,
  });
  await rename(output, target);
}

const SOUND = 'sound.pcm';

async function joinSound(folder: string, names: readonly string[]): Promise<void> {
  const file = await open(join(folder, SOUND), 'w', 0o600);
  try {
    for (const name of names)
      await file.writeFile(await Bun.file(join(folder, `${name}.pcm`)).bytes());
  } finally {
    await file.close();
  }
}
