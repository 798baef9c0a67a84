import { divide, type Rational, rational } from '../../../core/rational.ts';
import type { StudioDocument } from '../../../db/tables/studio.ts';
import type { Size } from '../../../media/sizes.ts';
import { arrangeLayers, BLACK, buildGraph } from './graph.ts';
import { getSource, prepareLayer } from './layer-inputs.ts';
import type { Segment } from './segments.ts';
import type { Source } from './sources.ts';
import { drawTitles } from './texts.ts';

/** A film as it is played or made. */
export type PlayedFilm = {
  readonly document: StudioDocument;
  /** Files by asset. */
  readonly sources: ReadonlyMap<string, Source>;
  readonly size: Size;
  /** The folder of the studio, with what is remembered of videos. */
  readonly studio: string;
};

export type SegmentGraph = {
  /** Files that are read. */
  readonly files: readonly string[];
  /** Options of ffmpeg with the files. */
  readonly input: readonly string[];
  /** Ends in `[played]`. */
  readonly graph: string;
  /** Whether its frames are BT.709 in YUV 4:2:0 instead of sRGB. */
  readonly isVideo: boolean;
};

type SegmentOptions = {
  readonly folder: string;
  /** Whether frames may be made in the colours of H.264; false by default. */
  readonly isForVideo?: boolean;
  readonly signal?: AbortSignal;
};

/**
 * Returns how ffmpeg makes the frames of a segment, 1/rate seconds apart. Titles are written into `folder`, in which
 * it must run. Throws MediaError.
 */
export async function buildSegmentGraph(
  { document, sources, studio, size }: PlayedFilm,
  { clips, titles, frames }: Segment,
  rate: Rational,
  { folder, isForVideo = false, signal }: SegmentOptions,
): Promise<SegmentGraph> {
  const options = { paths: { studio }, aim: 'frame', rate, ...(signal && { signal }) } as const;
  const prepared = await Promise.all(
    clips.map((active) => prepareLayer(active, getSource(sources, active.clip.assetId), options)),
  );
  const { background = BLACK } = document;
  const { numerator, denominator } = rate;
  const canvas = { ...size, background, frames, rate: `${numerator}/${denominator}`, isForVideo };
  const layers = arrangeLayers(prepared, canvas);
  const step = divide(rational(1n), rate);
  const texts = await drawTitles(titles, { folder, height: size.height, step, signal });
  const { graph, isVideo } = buildGraph(canvas, layers, texts, { isWitnessed: false });
  return {
    files: layers.map(({ path }) => path),
    input: ['-copyts', ...layers.flatMap(({ input }) => input)],
    // `overlay` goes on as long as a clip does.
    graph: `${graph};[frame]trim=end_frame=${frames}[played]`,
    isVideo,
  };
}
