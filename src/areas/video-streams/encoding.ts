import type { Deps } from '../../core/context.ts';
import type { Encoder } from '../../media/encoders.ts';
import { broken } from '../../media/errors.ts';
import type { ToolChild } from '../../media/tool-child.ts';
import { explainEnd, getLastLine, requireWorkingTool } from '../../media/tool-process.ts';
import type { VideoSettings } from '../../media/video-settings.ts';
import { CLOCK_SECONDS, type EncodeSource, spawnEncoder } from './encode.ts';
import {
  findVideoTrack,
  type Fragment,
  readFragments,
  readStart,
  type Track,
} from './fragments.ts';
import { hasSegment, storeSegment } from './segment-store.ts';
import type { Segment } from './segments.ts';
import type { Variant } from './variants.ts';

// An ffmpeg that writes the segments of a variant one after the other, some way ahead of who watches.

/** How far it writes ahead. What is only copied is there at once, and larger. */
const AHEAD_SECONDS: Readonly<Record<Variant['kind'], number>> = { encoded: 30, original: 10 };
/** Another encoder that begins at a segment takes so long until it has decoded a frame. */
const RESTART_SECONDS = 1;
/** The least and the most that are encoded meanwhile, in seconds of the video. */
const [SOONEST_SECONDS, LATEST_SECONDS] = [2, 4];

export type Encoding = {
  readonly ended: Promise<void>;
  /** Undefined while it runs. */
  readonly end: 'done' | 'failed' | undefined;
  readonly error: unknown;
  /** Whether it has yet to write the segment, and `soon` that it does in a moment. */
  comesTo(segment: number, soon: boolean): boolean;
  /** It goes on until it is some way ahead of the segment. */
  want(segment: number): void;
  /** Resolves at the next segment, the initialisation, or the end. */
  change(): Promise<void>;
  stop(): Promise<void>;
};

export type EncodingOptions = {
  readonly source: EncodeSource;
  readonly variant: Variant;
  readonly settings: VideoSettings;
  /** Best first, the last in software. */
  readonly encoders: readonly Encoder[];
  readonly from: number;
  /** Begins the names of its segments in the store. */
  readonly key: string;
  readonly onInit: (bytes: Buffer<ArrayBuffer>) => void;
};

/** Half a frame of the fastest videos: times of the stream are rounded to its clock. */
const TOLERANCE_SECONDS = 0.004;

export function startEncoding(deps: Deps, options: EncodingOptions): Encoding {
  const { segments } = options.source;
  const ahead = AHEAD_SECONDS[options.variant.kind];
  const state = { next: options.from, wanted: options.from, stopped: false };
  const startedAt = performance.now();
  let waitedMs = 0;
  let [end, error]: [Encoding['end'], unknown] = [undefined, undefined];
  let child: ToolChild | undefined;
  let changed = Promise.withResolvers<void>();
  let demanded = Promise.withResolvers<void>();
  /** Behind the last segment nothing is far away. */
  const getSeconds = (from: number, to: number): number =>
    (segments[to]?.start ?? 0) - (segments[from]?.start ?? 0);
  const announce = () => {
    changed.resolve();
    changed = Promise.withResolvers();
  };

  async function waitForDemand(): Promise<void> {
    const since = performance.now();
    while (!state.stopped && getSeconds(state.wanted, state.next) > ahead) {
      demanded = Promise.withResolvers();
      await demanded.promise;
    }
    waitedMs += performance.now() - since;
  }

  /** Returns how much of the video is encoded while another encoder would start. */
  function getSoonSeconds(): number {
    const ms = performance.now() - startedAt - waitedMs;
    const speed = (getSeconds(options.from, state.next) * 1000) / Math.max(1, ms);
    return Math.min(LATEST_SECONDS, Math.max(SOONEST_SECONDS, RESTART_SECONDS * speed));
  }

  /** Returns why it ended too early; undefined when it has written all. */
  async function run(encoder: Encoder): Promise<string | undefined> {
    child = spawnEncoder(options.source, options.variant, { ...options, encoder });
    const said = readTail(child.stderr);
    const take = createCollector(deps, options, state);
    for await (const fragment of readFragments(child.stdout)) {
      if (state.stopped) break;
      try {
        await take(fragment);
      } catch (error) {
        // It would wait for somebody to read on, and the end of the loop for it.
        child.kill();
        throw error;
      }
      announce();
      await waitForDemand();
    }
    if (state.stopped) return undefined;
    await child.exited;
    const explained = explainEnd(child, 'ffmpeg');
    if (explained) throw explained;
    if (state.next >= segments.length) return undefined;
    await requireWorkingTool('ffmpeg');
    return getLastLine(await said) || `exit ${child.exitCode}`;
  }

  async function runAll(): Promise<void> {
    for (const encoder of options.encoders) {
      const failure = await run(encoder);
      if (failure === undefined) return;
      // Segments of another encoder need another initialisation.
      if (encoder === options.encoders.at(-1) || state.next > options.from)
        throw broken(`ffmpeg: ${failure}`);
      deps.log.warn('the hardware encoder failed, streaming by software', { failure });
    }
  }

  const ended = runAll()
    .then(
      () => {
        end = 'done';
      },
      (reason: unknown) => {
        [end, error] = ['failed', reason];
        if (!state.stopped) deps.log.warn('streaming a video failed', { error: reason });
      },
    )
    .finally(() => {
      child?.kill();
      announce();
    });

  return {
    ended,
    get end() {
      return end;
    },
    get error() {
      return error;
    },
    comesTo: (segment, soon) =>
      end === undefined &&
      state.next <= segment &&
      (!soon || getSeconds(state.next, segment) <= getSoonSeconds()),
    want(segment) {
      state.wanted = Math.max(state.wanted, segment);
      demanded.resolve();
    },
    change: () => changed.promise,
    async stop() {
      state.stopped = true;
      demanded.resolve();
      child?.kill();
      await ended;
    },
  };
}

/** Returns what stores the segments of one ffmpeg as their fragments come. It throws for a misplaced one. */
function createCollector(
  deps: Deps,
  { key, source: { segments }, onInit }: EncodingOptions,
  state: { next: number },
): (fragment: Fragment) => Promise<void> {
  let track: Track | undefined;
  let parts: Buffer[] = [];
  return async ({ kind, bytes }) => {
    if (kind === 'init') {
      track = findVideoTrack(bytes);
      onInit(bytes as Buffer<ArrayBuffer>);
      return;
    }
    if (!track) throw broken('A stream begins without its initialisation');
    if (parts.length === 0) checkStart(segments, state.next, readStart(bytes, track));
    parts.push(bytes);
    if (parts.length < (segments[state.next]?.fragments ?? 1)) return;
    const name = `${key}/${state.next}`;
    if (!hasSegment(deps, name)) await storeSegment(deps, name, Buffer.concat(parts));
    state.next += 1;
    parts = [];
  };
}

/** Throws when ffmpeg has not begun the segment where the playlist says. */
function checkStart(segments: readonly Segment[], number: number, start: number): void {
  const segment = segments[number];
  const expected = segment && segment.start + CLOCK_SECONDS;
  if (expected !== undefined && Math.abs(start - expected) <= TOLERANCE_SECONDS) return;
  throw new SegmentMisplaced(
    `Segment ${number} begins at ${start} s instead of ${expected ?? 'never'} s`,
  );
}

/** The seek of ffmpeg was not exact: the file tells a wrong index. From its start on it is. */
export class SegmentMisplaced extends Error {}

const MAX_TAIL_CHARS = 4096;

async function readTail(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let kept = '';
  for await (const chunk of stream)
    kept = (kept + decoder.decode(chunk, { stream: true })).slice(-MAX_TAIL_CHARS);
  return kept;
}
