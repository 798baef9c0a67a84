import type { Segment } from './segments.ts';
import { getBandwidth, getCodecs, type Variant } from './variants.ts';

// Playlists of HTTP Live Streaming (RFC 8216). Their addresses are relative to their own.

type Main = {
  readonly sessionId: string;
  readonly variants: readonly Variant[];
  readonly fps: number | undefined;
  readonly hasSound: boolean;
  /** The end of each address: the key of a link, as '?key=…'. */
  readonly query: string;
};

/** Returns the playlist that lists the qualities. Players begin with the first one. */
export function formatMainPlaylist({ sessionId, variants, fps, hasSound, query }: Main): string {
  const listed = variants.map((variant, index) => {
    const attributes = [
      `BANDWIDTH=${getBandwidth(variant, hasSound)}`,
      `RESOLUTION=${variant.width}x${variant.height}`,
      `CODECS="${getCodecs(variant, hasSound)}"`,
      ...(fps === undefined ? [] : [`FRAME-RATE=${fps.toFixed(3)}`]),
      ...(variant.kind === 'original' ? ['NAME="original"'] : []),
    ];
    return `#EXT-X-STREAM-INF:${attributes.join(',')}\n${sessionId}/${index}/playlist.m3u8${query}`;
  });
  const ordered = [...listed.splice(chooseFirst(variants), 1), ...listed];
  return ['#EXTM3U', '#EXT-X-VERSION:7', '#EXT-X-INDEPENDENT-SEGMENTS', ...ordered, ''].join('\n');
}

/**
 * Returns the index of the original where every browser plays it at no larger bit rate than the best encoded one, since
 * it costs no encoding; else that of the middle one.
 */
function chooseFirst(variants: readonly Variant[]): number {
  const [last, best] = [variants.at(-1), variants.at(-2)];
  const isLight = last?.kind === 'original' && best && last.maxBitrate <= best.maxBitrate;
  if (isLight && last.codec.startsWith('avc1')) return variants.length - 1;
  const encoded = variants.filter(({ kind }) => kind === 'encoded');
  return Math.floor((encoded.length - 1) / 2);
}

/** Returns the playlist of one quality. */
export function formatMediaPlaylist(segments: readonly Segment[], query: string): string {
  const longest = Math.max(...segments.map(({ duration }) => duration));
  return [
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    `#EXT-X-TARGETDURATION:${Math.ceil(longest)}`,
    '#EXT-X-MEDIA-SEQUENCE:0',
    '#EXT-X-PLAYLIST-TYPE:VOD',
    `#EXT-X-MAP:URI="init.mp4${query}"`,
    ...segments.map(
      ({ duration }, number) => `#EXTINF:${duration.toFixed(6)},\nseg_${number}.m4s${query}`,
    ),
    '#EXT-X-ENDLIST',
    '',
  ].join('\n');
}
