export const VIDEO_CODECS = ['h264', 'hevc', 'vp9', 'av1'] as const;
export type VideoCodec = (typeof VIDEO_CODECS)[number];

/** From the fastest to the one that makes the smallest files, as x264 calls them. */
export const PRESETS = [
  'ultrafast',
  'superfast',
  'veryfast',
  'faster',
  'fast',
  'medium',
  'slow',
  'slower',
  'veryslow',
] as const;
export type Preset = (typeof PRESETS)[number];

/** Which videos are transcoded, and to what. */
export type VideoSettings = {
  /**
   * 'required': what browsers cannot play; 'optimal': also what is larger than `maxShortSide`; 'bitrate':
   * also what has more than `maxBitrate`.
   */
  readonly policy: 'disabled' | 'required' | 'optimal' | 'bitrate' | 'all';
  /** Names of ffmpeg. */
  readonly acceptedVideoCodecs: readonly string[];
  readonly acceptedAudioCodecs: readonly string[];
  readonly acceptedContainers: readonly string[];
  readonly codec: VideoCodec;
  readonly audioCodec: 'aac' | 'mp3' | 'opus';
  readonly crf: number;
  readonly preset: Preset;
  /** Undefined: as many as the machine has, at most four. */
  readonly threads: number | undefined;
  /** In pixels; Infinity for the size of the original. */
  readonly maxShortSide: number;
  /** In bits per second; undefined for no limit. */
  readonly maxBitrate: number | undefined;
  /** Only with `maxBitrate`. */
  readonly isTwoPass: boolean;
  readonly tonemap: 'hable' | 'mobius' | 'reinhard' | 'disabled';
  readonly bFrames: number | undefined;
  readonly references: number | undefined;
  /** Frames between key frames; undefined: two seconds. */
  readonly keyFrameInterval: number | undefined;
  /** 'auto': the best that works here. */
  readonly acceleration: 'auto' | 'nvenc' | 'qsv' | 'vaapi';
};

export const DEFAULT_VIDEO_SETTINGS: VideoSettings = {
  policy: 'required',
  acceptedVideoCodecs: ['h264'],
  acceptedAudioCodecs: ['aac', 'mp3', 'opus'],
  acceptedContainers: ['mov', 'ogg', 'webm'],
  codec: 'h264',
  audioCodec: 'aac',
  crf: 23,
  // At 23 it looks like medium at 24 and takes a third of the time.
  preset: 'veryfast',
  threads: undefined,
  maxShortSide: 1080,
  maxBitrate: undefined,
  isTwoPass: false,
  tonemap: 'hable',
  bFrames: undefined,
  references: undefined,
  keyFrameInterval: undefined,
  acceleration: 'auto',
};
