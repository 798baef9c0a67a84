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

type EncodingState = { next: number; wanted: number; stopped: boolean };

/** Half a frame of the fastest videos: times of the stream are rounded to its clock. */
const TOLERANCE_SECONDS = 0.004;

/** Begins at once. */
export class Encoding {
  readonly ended: Promise<void>;
  readonly #deps: Deps;
  readonly #options: EncodingOptions;
  readonly #state: EncodingState;
  readonly #startedAt = performance.now();
  #waitedMs = 0;
  #end: 'done' | 'failed' | undefined;
  #error: unknown;
  #child: ToolChild | undefined;
  #changed = Promise.withResolvers<void>();
  #demanded = Promise.withResolvers<void>();

  constructor(deps: Deps, options: EncodingOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#state = { next: options.from, wanted: options.from, stopped: false };
    this.ended = this.#run();
  }

  /** Undefined while it runs. */
  get end(): 'done' | 'failed' | undefined {
    return this.#end;
  }

  get error(): unknown {
    return this.#error;
  }

  /** Whether it has yet to write the segment, and `soon` that it does in a moment. */
  comesTo(segment: number, soon: boolean): boolean {
    const { next } = this.#state;
    if (this.#end !== undefined || next > segment) return false;
    return !soon || this.#getSeconds(next, segment) <= this.#getSoonSeconds();
  }

  /** It goes on until it is some way ahead of the segment. */
  want(segment: number): void {
    this.#state.wanted = Math.max(this.#state.wanted, segment);
    this.#demanded.resolve();
  }

  /** Resolves at the next segment, the initialisation, or the end. */
  change(): Promise<void> {
    return this.#changed.promise;
  }

  async stop(): Promise<void> {
    this.#state.stopped = true;
    this.#demanded.resolve();
    this.#child?.kill();
    await this.ended;
  }

  async #run(): Promise<void> {
    try {
      await this.#tryEncoders();
      this.#end = 'done';
    } catch (error) {
      [this.#end, this.#error] = ['failed', error];
      if (!this.#state.stopped) this.#deps.log.warn('streaming a video failed', { error });
    } finally {
      this.#child?.kill();
      this.#announce();
    }
  }

  async #tryEncoders(): Promise<void> {
    const { encoders, from } = this.#options;
    for (const encoder of encoders) {
      const failure = await this.#encode(encoder);
      if (failure === undefined) return;
      // Segments of another encoder need another initialisation.
      if (encoder === encoders.at(-1) || this.#state.next > from)
        throw broken(`ffmpeg: ${failure}`);
      this.#deps.log.warn('the hardware encoder failed, streaming by software', { failure });
    }
  }

  /** Returns why it ended too early; undefined when it has written all. */
  async #encode(encoder: Encoder): Promise<string | undefined> {
    const state = this.#state;
    const { source, variant } = this.#options;
    const child = spawnEncoder(source, variant, { ...this.#options, encoder });
    this.#child = child;
    const said = readTail(child.stderr);
    const take = createCollector(this.#deps, this.#options, state);
    for await (const fragment of readFragments(child.stdout)) {
      if (state.stopped) break;
      try {
        await take(fragment);
      } catch (error) {
        // It would wait for somebody to read on, and the end of the loop for it.
        child.kill();
        throw error;
      }
      this.#announce();
      await this.#waitForDemand();
    }
    if (state.stopped) return undefined;
    await child.exited;
    const explained = explainEnd(child, 'ffmpeg');
    if (explained) throw explained;
    if (state.next >= source.segments.length) return undefined;
    await requireWorkingTool('ffmpeg');
    return getLastLine(await said) || `exit ${child.exitCode}`;
  }

  async #waitForDemand(): Promise<void> {
    const state = this.#state;
    const ahead = AHEAD_SECONDS[this.#options.variant.kind];
    const since = performance.now();
    while (!state.stopped && this.#getSeconds(state.wanted, state.next) > ahead) {
      this.#demanded = Promise.withResolvers();
      await this.#demanded.promise;
    }
    this.#waitedMs += performance.now() - since;
  }

  #announce(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  /** Behind the last segment nothing is far away. */
  #getSeconds(from: number, to: number): number {
    const { segments } = this.#options.source;
    return (segments[to]?.start ?? 0) - (segments[from]?.start ?? 0);
  }

  /** Returns how much of the video is encoded while another encoder would start. */
  #getSoonSeconds(): number {
    const ms = performance.now() - this.#startedAt - this.#waitedMs;
    const speed = (this.#getSeconds(this.#options.from, this.#state.next) * 1000) / Math.max(1, ms);
    return Math.min(LATEST_SECONDS, Math.max(SOONEST_SECONDS, RESTART_SECONDS * speed));
  }
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
