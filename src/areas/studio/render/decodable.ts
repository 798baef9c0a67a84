import { rational, toRational, ZERO } from '../../../core/rational.ts';
import type { StudioClip } from '../../../db/tables/studio.ts';
import { broken } from '../../../media/errors.ts';
import { runFilmTool } from '../../../media/film-encoding.ts';
import { FFMPEG } from '../../../media/probe.ts';
import { prepareLayer } from './layer-inputs.ts';
import type { Source } from './sources.ts';

type Place = {
  /** Where the indexes of videos are remembered. */
  readonly studio: string;
  readonly folder: string;
  readonly signal: AbortSignal;
};

const NO_TIME = { numerator: 0, denominator: 1 };

/**
 * Throws MediaError unless a frame can be decoded where a clip begins: a film shows the canvas where a clip has none.
 */
export async function requireDecodable(
  clip: Pick<StudioClip, 'assetId' | 'sourceIn' | 'still'>,
  source: Source,
  { studio, folder, signal }: Place,
): Promise<void> {
  const shown = { ...clip, track: 0, start: NO_TIME, duration: { numerator: 1, denominator: 1 } };
  const active = { clip: shown, passed: ZERO, sourceTime: toRational(clip.sourceIn) };
  const options = { paths: { studio }, aim: 'frame', rate: rational(30n), signal } as const;
  const layer = await prepareLayer(active, source, options);
  const command = [
    ...FFMPEG,
    '-copyts',
    ...layer.input,
    '-filter_complex',
    `[0:${layer.stream}]scale=16:16[v]`,
    ...'-map [v] -frames:v 1 -f framecrc pipe:1'.split(' '),
  ];
  const { stdout } = await runFilmTool(command, { folder, inputs: [layer.path], signal });
  if (!/^0,/m.test(stdout)) throw broken('ffmpeg: no picture');
}
