import { type MediaProbe, readStreams, type Streams, toProbe } from './probe.ts';
import { toIntegerWithin, toText } from './tag-values.ts';

/** How a stream of a file can be passed to a browser. */
export type StreamCodec = {
  /** The name of the codec of pictures (RFC 6381); undefined where it has none that browsers know. */
  readonly name: string | undefined;
  /** Whether it is sound that every browser plays. */
  readonly isLowComplexityAac: boolean;
  /** In bits per second, where the file tells it. */
  readonly bitRate: number | undefined;
};

const MIB = 1024 ** 2;
/** Fonts of subtitles are set up as codecs are, and printed with four characters for a byte. */
const MAX_OUTPUT_BYTES = 100 * MIB;
const ASKING = ['-show_entries', 'stream=profile,bit_rate,extradata', '-show_data'];
/** The names are at the start. */
const MAX_DUMP_CHARS = 1000;

/** Returns what `probe` does, and the codecs of the streams by their index. Throws MediaError as `probe`. */
export async function probeWithCodecs(path: string): Promise<{
  readonly probe: MediaProbe;
  readonly codecs: ReadonlyMap<number, StreamCodec>;
}> {
  const answer = await readStreams(path, { asking: ASKING, maxOutputBytes: MAX_OUTPUT_BYTES });
  return { probe: toProbe(answer), codecs: new Map(answer.streams.map(toCodec)) };
}

function toCodec(stream: Streams['streams'][number]): [index: number, codec: StreamCodec] {
  const codec = toText(stream['codec_name'], 50) ?? '';
  const setup = parseDump(toText(stream['extradata'], MAX_DUMP_CHARS) ?? '');
  const isLowComplexityAac = codec === 'aac' && stream['profile'] === 'LC';
  const bitRate = toIntegerWithin(stream['bit_rate'], 1, 1e9);
  const index = toIntegerWithin(stream['index'], 0, 1_000_000) ?? 0;
  return [index, { name: NAMES[codec]?.(setup), isLowComplexityAac, bitRate }];
}

/** Reads what ffprobe prints of bytes: '00000000: 0164 001f ffe1 0019  .d......'. */
const parseDump = (text: string): Buffer =>
  Buffer.from(
    [...text.matchAll(/^[\da-f]{8}: ((?:[\da-f]{2,4} )+)/gm)]
      .map(([, digits = '']) => digits.replaceAll(' ', ''))
      .join(''),
    'hex',
  );

/** By ffmpeg's name of the codec, from the configuration record in an MP4 or Matroska file. */
const NAMES: Readonly<Record<string, (setup: Buffer) => string | undefined>> = {
  h264: nameH264,
  hevc: nameHevc,
  av1: nameAv1,
};

/** ISO/IEC 14496-15 5.3.3.1 */
function nameH264(setup: Buffer): string | undefined {
  return setup.length >= 4 && setup[0] === 1 ? `avc1.${setup.toString('hex', 1, 4)}` : undefined;
}

/** ISO/IEC 14496-15 8.3.3.1 and annex E.3 */
function nameHevc(setup: Buffer): string | undefined {
  if (setup.length < 13 || setup[0] !== 1) return undefined;
  const profile = setup.readUInt8(1);
  const space = ['', 'A', 'B', 'C'][profile >> 6];
  const compatible = reverseBits(setup.readUInt32BE(2)).toString(16);
  const level = `${profile & 0x20 ? 'H' : 'L'}${setup.readUInt8(12)}`;
  const constraints = [...setup.subarray(6, 12)].map((byte) => byte.toString(16));
  while (constraints.at(-1) === '0') constraints.pop();
  return ['hvc1', `${space}${profile & 0x1f}`, compatible, level, ...constraints].join('.');
}

/** AV1 in ISO base media file format 2.3.3 and 5 */
function nameAv1(setup: Buffer): string | undefined {
  if (setup.length < 4 || setup[0] !== 0x81) return undefined;
  const [first, second] = [setup.readUInt8(1), setup.readUInt8(2)];
  const level = String(first & 0x1f).padStart(2, '0');
  const depth = second & 0x40 ? (second & 0x20 ? 12 : 10) : 8;
  const tier = second & 0x80 ? 'H' : 'M';
  return `av01.${first >> 5}.${level}${tier}.${String(depth).padStart(2, '0')}`;
}

function reverseBits(value: number): number {
  let reversed = 0;
  for (let bit = 0; bit < 32; bit++) if (value & (1 << bit)) reversed |= 1 << (31 - bit);
  return reversed >>> 0;
}
