import { toUrl } from '../../base/api.ts';
import { t } from '../../base/i18n.ts';
import { playbackUrl } from '../../base/pictures.ts';
import { createStore } from '../../base/store.ts';

/** The qualities of the stream that is played. */
export type StreamQuality = {
  readonly assetId: string;
  /** Their names, best first. */
  readonly names: readonly string[];
  /** Undefined: the player chooses by the speed of the network. */
  readonly chosen: string | undefined;
  /** Undefined before the first picture. */
  readonly played: string | undefined;
  readonly choose: (name: string | undefined) => void;
};

/** Undefined while no stream is played, or one whose player tells nothing of its qualities. */
export const streamQuality = createStore<StreamQuality | undefined>(undefined);

const PLAYLIST_TYPE = 'application/vnd.apple.mpegurl';
/** Others that say that they play a playlist do it worse than the library. */
const IS_SAFARI = /^((?!chrome|android).)*safari/i.test(navigator.userAgent);

/** Where a player goes on. A paused video stays paused. */
export type Position = { readonly seconds: number; readonly isPaused: boolean };

const getPosition = ({ currentTime, paused }: HTMLVideoElement): Position => ({
  seconds: currentTime,
  isPaused: paused,
});
const BEGINNING: Position = { seconds: 0, isPaused: false };

/**
 * Plays a video that is transcoded while it is watched (HTTP Live Streaming). Calls `onFail` once, with the position
 * where it ended, when the server or the browser cannot. Returns what ends it.
 */
export function playStream(
  video: HTMLVideoElement,
  assetId: string,
  onFail: (position: Position) => void,
): () => void {
  const url = toUrl(`/assets/${assetId}/video/stream/main.m3u8`);
  if (IS_SAFARI && video.canPlayType(PLAYLIST_TYPE) !== '') return playNatively(video, url, onFail);
  let stop: (() => void) | undefined;
  let hasEnded = false;
  playByLibrary(video, { assetId, url, onFail }).then(
    (end) => {
      if (hasEnded) end();
      else stop = end;
    },
    () => hasEnded || onFail(BEGINNING),
  );
  return () => {
    hasEnded = true;
    stop?.();
  };
}

function playNatively(
  video: HTMLVideoElement,
  url: string,
  onFail: (position: Position) => void,
): () => void {
  const fail = () => onFail(getPosition(video));
  video.addEventListener('error', fail, { once: true });
  video.src = url;
  void video.play().catch(() => {});
  return () => {
    video.removeEventListener('error', fail);
    video.removeAttribute('src');
    video.load();
  };
}

type Stream = {
  readonly assetId: string;
  readonly url: string;
  readonly onFail: (position: Position) => void;
};

async function playByLibrary(video: HTMLVideoElement, stream: Stream): Promise<() => void> {
  const { default: Hls } = await import('hls.js/light');
  if (!Hls.isSupported()) throw new Error('This browser plays no streams');
  let end = () => {};
  const open = (start: Start) => {
    end();
    end = openPlayer(video, stream, { ...start, Hls, choose: open });
  };
  open({ quality: undefined, position: BEGINNING });
  return () => end();
}

/** Undefined: the qualities that the server recommends, of which the player chooses. */
type Start = { readonly quality: string | undefined; readonly position: Position };
type HlsClass = (typeof import('hls.js/light'))['default'];
type Opening = Start & { readonly Hls: HlsClass; readonly choose: (start: Start) => void };

/** Another quality is another player: the sound of the original and that of others have no common cuts. */
function openPlayer(
  video: HTMLVideoElement,
  { assetId, url, onFail }: Stream,
  { Hls, quality, position, choose }: Opening,
): () => void {
  const player = new Hls({ backBufferLength: 60, startPosition: position.seconds });
  const end = () => {
    streamQuality.set((old) => (old?.assetId === assetId ? undefined : old));
    const session = findSession(player.levels[0]?.url[0]);
    player.destroy();
    if (session) endSession(assetId, session);
  };
  player.on(Hls.Events.ERROR, (_, { fatal }) => {
    if (!fatal) return;
    const failedAt = getPosition(video);
    end();
    onFail(failedAt);
  });
  player.on(Hls.Events.MANIFEST_PARSED, (_, { firstLevel }) => {
    streamQuality.set({
      assetId,
      names: player.levels.map(toName).toReversed(),
      chosen: quality,
      played: undefined,
      choose: (name) => choose({ quality: name, position: getPosition(video) }),
    });
    const isOriginal = player.levels[firstLevel]?.name === ORIGINAL;
    keepLevels(player, (level) =>
      quality === undefined ? (level.name === ORIGINAL) === isOriginal : toName(level) === quality,
    );
  });
  player.on(Hls.Events.LEVEL_SWITCHED, (_, { level }) => {
    const shown = player.levels[level];
    streamQuality.set((old) => old && { ...old, played: shown && toName(shown) });
  });
  player.loadSource(url);
  player.attachMedia(video);
  // Before the playlist arrives: a pause in the meantime counts.
  goOn(video, position);
  return end;
}

type Player = InstanceType<HlsClass>;
type Level = Player['levels'][number];

/** The name that the server gives to the pictures as they are. */
const ORIGINAL = 'original';

const toName = ({ name, width, height }: Level): string =>
  name === ORIGINAL ? t('Original') : `${Math.min(width, height)}p`;

function keepLevels(player: Player, isKept: (level: Level) => boolean): void {
  for (const [index, level] of [...player.levels.entries()].reverse())
    if (!isKept(level)) player.removeLevel(index);
}

/** Plays the file of a video from a position on. */
export function playFile(video: HTMLVideoElement, assetId: string, position: Position): void {
  video.src = playbackUrl(assetId);
  video.currentTime = position.seconds;
  goOn(video, position);
}

function goOn(video: HTMLVideoElement, { isPaused }: Position): void {
  if (!isPaused) void video.play().catch(() => {});
}

const findSession = (url: string | undefined): string | undefined =>
  /stream\/([\da-f-]{36})\//.exec(url ?? '')?.[1];

/** The server ends it a little later by itself. */
const endSession = (assetId: string, session: string): void =>
  void fetch(toUrl(`/assets/${assetId}/video/stream/${session}`), {
    method: 'DELETE',
    keepalive: true,
  }).catch(() => {});
