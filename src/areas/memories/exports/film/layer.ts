import { buildDecodeArguments, type MediaProbe, SAFE_INPUT } from '../../../../media/probe.ts';
import type { Size } from '../../../../media/sizes.ts';
import { buildSdrFilters, toMatrixOption } from '../../../../media/tonemap.ts';
import { type CameraMove, coverFrame, darken, fillFrame, showStill } from './camera.ts';
import { type FilmItem, FPS } from './plan.ts';
import type { TextFilter } from './texts.ts';

/** An item with all that is needed to draw it. */
export type Layer = {
  readonly item: FilmItem;
  readonly frame: Size;
  readonly path: string;
  /** Of the picture as displayed. */
  readonly size: Size;
  /** Filters from the picture in the file to one in sRGB without transparent parts. */
  readonly toFilmColors: string;
  /** Of a video. */
  readonly probe: MediaProbe | undefined;
  readonly move: CameraMove;
  readonly texts: readonly TextFilter[];
};

/** Input of ffmpeg, and filters. */
type Source = { readonly input: readonly string[]; readonly filters: readonly string[] };

type Part = { readonly first: number; readonly count: number };

/**
 * Returns the first input of a command, and its filters to `count` frames of an item from frame `first` as
 * the stream `[layer]`.
 */
export function buildLayer(layer: Layer, part: Part): Source {
  const build = layer.item.kind === 'video' ? buildVideo : buildStill;
  const { input, filters } = build(layer, part);
  const after = [
    ...layer.texts,
    `trim=end_frame=${part.count}`,
    `settb=1/${FPS}`,
    'setpts=N',
    'format=yuv420p',
  ];
  return { input, filters: [...filters, `[plain]${after.join(',')}[layer]`] };
}

function buildStill({ item, frame, path, size, toFilmColors, move }: Layer, part: Part): Source {
  const reading = ['-protocol_whitelist', 'file', '-f', 'image2', '-pattern_type', 'none'];
  const input = [...reading, '-i', `file:${path}`];
  const before = [`[0:v]${toFilmColors}[picture]`];
  if (item.kind !== 'title') {
    const filters = showStill(['[picture]', '[plain]'], {
      ...part,
      total: item.frames,
      picture: size,
      frame,
      move,
    });
    return { input, filters: [...before, ...filters] };
  }
  const ground = [
    ...coverFrame(size, frame),
    'setsar=1',
    'format=yuv420p',
    `gblur=sigma=${frame.height / 45}`,
    darken(0.55),
    `loop=loop=${part.count - 1}:size=1:start=0`,
    `fps=${FPS}`,
  ];
  return { input, filters: [...before, `[picture]${ground.join(',')}[plain]`] };
}

function buildVideo({ item, frame, path, probe, size }: Layer, { first, count }: Part): Source {
  const video = probe!.video!;
  const { threads } = buildDecodeArguments(video);
  const sdr = buildSdrFilters(video.color);
  const steady = [
    // From the very start, where the sound starts, even if the first picture is late.
    `fps=${FPS}:start_time=0`,
    `tpad=stop_mode=clone:stop=${count}`,
    `trim=end_frame=${count}`,
  ];
  const filters = [
    `[0:${video.index}]${[...(video.isInterlaced ? ['yadif'] : []), ...steady].join(',')}[picture]`,
    ...fillFrame(['[picture]', '[plain]'], size, frame, {
      convert: sdr,
      // The conversion reads the colours as they are in the file.
      ...(sdr.length > 0 ? { colors: '' } : { from: toMatrixOption(video.color, size) }),
    }),
  ];
  const start = (item.startMs / 1000 + first / FPS).toFixed(3);
  const reading = ['-ss', start, '-t', (count / FPS + 1).toFixed(3)];
  return { input: [...reading, ...threads, ...SAFE_INPUT, '-i', `file:${path}`], filters };
}
