import type { Rational } from '../../../core/rational.ts';
import type { StudioDocument } from '../../../db/tables/studio.ts';
import type { Size } from '../../../media/sizes.ts';
import { BLACK, buildGraph, withoutHidden } from './graph.ts';
import { prepareLayer } from './layer-inputs.ts';
import type { Segment } from './segments.ts';
import type { Source } from './sources.ts';
import { drawTitles } from './texts.ts';

/** A film as it is played or made. */
export type PlayedFilm = {
  readonly document: StudioDocument;
  /** Files by asset. */
  readonly sources: ReadonlyMap<string, Source>;
  readonly size: Size;
  /** Of the studio: what is remembered of videos. */
  readonly studio: string;
};

export type SegmentGraph = {
  /** Files that are read. */
  readonly files: readonly string[];
  /** Options of ffmpeg with the files. */
  readonly input: readonly string[];
  /** Ends in `[played]`. */
  readonly graph: string;
};

/**
 * Returns how ffmpeg makes the frames of a segment, 1/rate seconds apart, in sRGB. Titles are written into
 * `folder`, in which it must run. Throws MediaError.
 */
export async function buildSegmentGraph(
  { document, sources, studio, size }: PlayedFilm,
  { clips, titles, frames }: Segment,
  rate: Rational,
  { folder, signal }: { readonly folder: string; readonly signal?: AbortSignal },
): Promise<SegmentGraph> {
  const options = { paths: { studio }, aim: 'frame', rate, ...(signal && { signal }) } as const;
  const prepared = await Promise.all(
    clips.map((active) => prepareLayer(active, sources.get(active.clip.assetId)!, options)),
  );
  const { background = BLACK } = document;
  const { numerator, denominator } = rate;
  const canvas = { ...size, background, frames, rate: `${numerator}/${denominator}` };
  const layers = withoutHidden(prepared, canvas);
  const texts = await drawTitles(folder, titles, signal);
  const { graph } = buildGraph(canvas, layers, texts, { isWitnessed: false });
  return {
    files: clips.map(({ clip }) => sources.get(clip.assetId)!.path),
    input: ['-copyts', ...layers.flatMap(({ input }) => input)],
    // `overlay` goes on as long as a clip does.
    graph: `${graph};[frame]trim=end_frame=${frames}[played]`,
  };
}
