import type { NamedColor } from './icc.ts';
import type { Bounds, Size } from './sizes.ts';
import type { VideoSettings } from './video-settings.ts';
import { runTool } from './tool-process.ts';
import { toIntegerWithin, toRecord, toText } from './tag-values.ts';

/** The colour description of one stream, in ffmpeg's words; 'unknown' is undefined. */
export type ColorInfo = {
  readonly transfer: string | undefined;
  readonly primaries: string | undefined;
  readonly matrix: string | undefined;
  readonly range: string | undefined;
  readonly pixelFormat: string | undefined;
};

/** Perceptual quantizer and hybrid log-gamma: brighter than white, and grey when shown as they are. */
export const isHdrTransfer = (transfer: string | undefined): boolean =>
  transfer === 'smpte2084' || transfer === 'arib-std-b67';

const PROBE = { timeoutMs: 20_000, cpuSeconds: 10, memoryBytes: 2 * 1024 ** 3 };

export const toColorInfo = (stream: Readonly<Record<string, unknown>> | undefined): ColorInfo => {
  const word = (name: string) => {
    const text = toText(stream?.[name], 50);
    return text === 'unknown' || text === 'reserved' ? undefined : text;
  };
  return {
    transfer: word('color_transfer'),
    primaries: word('color_primaries'),
    matrix: word('color_space'),
    range: word('color_range'),
    pixelFormat: word('pix_fmt'),
  };
};

/** 1000 nits, by 100. Some cameras and editors write that their display, or the brightest of a film, had hardly any. */
const PEAK = 'peak=10';

/** The words for numbers of ITU-T H.273 that RGB of the full range has. */
export const nameColors = (color: NamedColor): ColorInfo => ({
  transfer: TRANSFERS.get(color.transfer),
  primaries: PRIMARIES.get(color.primaries) ?? 'bt2020',
  matrix: 'gbr',
  range: 'pc',
  pixelFormat: undefined,
});

const TRANSFERS = new Map([
  [16, 'smpte2084'],
  [18, 'arib-std-b67'],
]);
const PRIMARIES = new Map([
  [1, 'bt709'],
  [9, 'bt2020'],
  [11, 'smpte431'],
  [12, 'smpte432'],
]);

/** Returns whether this colour description names a brightness beyond white. */
export const isHdrColor = (color: NamedColor | undefined): boolean =>
  color !== undefined && TRANSFERS.has(color.transfer);

/**
 * Returns ffmpeg filters to sRGB: none for sRGB, a conversion of primaries for wide gamut, tone
 * mapping for HDR (1000 nits to 100).
 */
export function buildSdrFilters(
  color: ColorInfo,
  tonemap: VideoSettings['tonemap'] = 'hable',
): string[] {
  if (tonemap === 'disabled') return [];
  if (isHdrTransfer(color.transfer)) {
    const given = [
      `tin=${color.transfer}`,
      `pin=${color.primaries ?? 'bt2020'}`,
      // A matrix of RGB or an odd one is for zscale to read from the frame.
      ...(color.matrix?.startsWith('bt2020') || color.matrix === undefined ? ['min=bt2020nc'] : []),
    ].join(':');
    return [
      `zscale=${given}:t=linear:npl=100`,
      'format=gbrpf32le',
      'zscale=p=bt709',
      `tonemap=tonemap=${tonemap}:desat=0:${PEAK}`,
      // Browsers show the codes of BT.709 as they show those of pictures.
      'zscale=t=iec61966-2-1:m=bt709:r=tv',
      'format=yuv420p',
      'setparams=color_trc=bt709',
    ];
  }
  if (!WIDE.has(color.primaries ?? '')) return [];
  // iPhones of some years: Display P3 without HDR. What the stream leaves out is named here.
  const given = [
    `pin=${color.primaries}`,
    ...(color.transfer ? [] : ['tin=bt709']),
    ...(color.matrix ? [] : ['min=bt709']),
  ].join(':');
  return [`zscale=${given}:p=bt709:t=bt709:m=bt709:r=tv`];
}

/** Decoders say nothing of it when a file does not; players take it for granted. */
const HD_LINES = 720;

/** Returns the option of `scale` for a video that does not name its matrix, or nothing. */
export const toMatrixOption = ({ matrix }: ColorInfo, { width, height }: Size): string =>
  matrix === undefined && Math.min(width, height) >= HD_LINES ? ':in_color_matrix=bt709' : '';

const WIDE = new Set(['smpte432', 'smpte431', 'bt2020']);

type StillOptions = {
  readonly preview: Bounds;
  readonly color: ColorInfo | undefined;
  readonly signal: AbortSignal | undefined;
};

export type StillFilter = {
  readonly chain: string | undefined;
  readonly hasAlpha: boolean;
  /** Stored size of the picture before the filter; undefined when the filter does not scale. */
  readonly scaledFrom: Size | undefined;
};

/** Returns the filter of a still picture; its colours are given, or found with ffprobe. */
export async function toneMapFilter(
  path: string,
  input: readonly string[],
  { preview, color: given, signal }: StillOptions,
): Promise<StillFilter> {
  const reading = ['-v', 'error', '-protocol_whitelist', 'file', ...input.slice(0, 2)];
  const asking = ['-of', 'json', '-select_streams', 'v:0', '-show_streams', `file:${path}`];
  const command = ['ffprobe', ...reading, ...asking];
  const { stdout } = await runTool(command, { ...PROBE, signal });
  const stream = firstStream(stdout);
  const found = toColorInfo(stream);
  const color = given ? { ...given, pixelFormat: found.pixelFormat } : found;
  // The frames of PNG name no colours.
  const named =
    given &&
    `format=gbrp16,setparams=colorspace=gbr:color_trc=${given.transfer}:color_primaries=${given.primaries}:range=pc`;
  const shown = stillChain(color, getShrinkOptions(preview));
  const chain = named && shown ? `${named},${shown}` : shown;
  const width = toIntegerWithin(stream?.['width'], 1, 1e6);
  const height = toIntegerWithin(stream?.['height'], 1, 1e6);
  return {
    chain,
    hasAlpha: hasAlpha(color.pixelFormat),
    scaledFrom: chain && width && height ? { width, height } : undefined,
  };
}

function firstStream(json: string) {
  try {
    const streams: unknown = toRecord(JSON.parse(json))?.['streams'];
    return Array.isArray(streams) ? toRecord(streams[0]) : undefined;
  } catch {
    return undefined;
  }
}

/** Colours are converted in floating point, so what will not be shown goes first. */
function getShrinkOptions({ short, long }: Bounds): string {
  const scale = `min(1,min(${short}/min(iw,ih),${long}/max(iw,ih)))`;
  return `w='max(1,round(iw*${scale}))':h='max(1,round(ih*${scale}))':filter=spline36`;
}

function stillChain(color: ColorInfo, shrink: string): string | undefined {
  if (isHdrTransfer(color.transfer)) return stillHdr(color, shrink);
  if (!WIDE.has(color.primaries ?? '')) return undefined;
  const given = `pin=${color.primaries}:tin=${color.transfer ?? 'iec61966-2-1'}`;
  return `zscale=${shrink}:${given}:p=bt709:t=iec61966-2-1,format=gbrp`;
}

const stillHdr = (color: ColorInfo, shrink: string) =>
  [
    `zscale=${shrink}:tin=${color.transfer}:pin=${color.primaries ?? 'bt2020'}:t=linear:npl=100`,
    'format=gbrpf32le',
    'zscale=p=bt709',
    `tonemap=tonemap=hable:desat=0:${PEAK}`,
    'zscale=t=iec61966-2-1',
    'format=gbrp',
  ].join(',');

/** 'rgba', 'argb', 'gbrap', 'ya8', 'yuva420p', and palettes, which may hold a clear colour. */
const hasAlpha = (format: string | undefined) =>
  format !== undefined && /^(rgba|argb|bgra|abgr|gbrap|ya\d|yuva|pal8)/.test(format);
