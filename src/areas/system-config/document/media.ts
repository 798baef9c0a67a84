import { t } from 'elysia';
import { MAX_INT32, stringEnum } from '../../../http/schemas.ts';

const AdminConfigFFmpegRealtimeDto = t.Object(
  {
    enabled: t.Boolean(),
    resolutions: t.Array(
      t.Union([t.Literal(480), t.Literal(720), t.Literal(1080), t.Literal(1440), t.Literal(2160)], {
        title: 'HlsVideoResolution',
      }),
    ),
    videoCodecs: t.Array(stringEnum(['h264', 'hevc', 'vp9', 'av1'], { title: 'VideoCodec' })),
  },
  { title: 'AdminConfigFFmpegRealtimeDto' },
);

export const AdminConfigFFmpegDto = t.Object(
  {
    accel: stringEnum(['nvenc', 'qsv', 'vaapi', 'rkmpp', 'disabled'], {
      title: 'TranscodeHWAccel',
    }),
    accelDecode: t.Boolean(),
    acceptedAudioCodecs: t.Array(
      stringEnum(['mp3', 'aac', 'opus', 'pcm_s16le'], { title: 'AudioCodec' }),
    ),
    acceptedContainers: t.Array(
      stringEnum(['mov', 'mp4', 'ogg', 'webm'], { title: 'VideoContainer' }),
    ),
    acceptedVideoCodecs: t.Array(
      stringEnum(['h264', 'hevc', 'vp9', 'av1'], { title: 'VideoCodec' }),
    ),
    bframes: t.Integer({ minimum: -1, maximum: 16 }),
    cqMode: stringEnum(['auto', 'cqp', 'icq'], { title: 'CQMode' }),
    crf: t.Integer({ minimum: 0, maximum: 51 }),
    gopSize: t.Integer({ minimum: 0, maximum: MAX_INT32 }),
    maxBitrate: t.String(),
    preferredHwDevice: t.String(),
    preset: t.String(),
    realtime: AdminConfigFFmpegRealtimeDto,
    refs: t.Integer({ minimum: 0, maximum: 6 }),
    targetAudioCodec: stringEnum(['mp3', 'aac', 'opus', 'pcm_s16le'], { title: 'AudioCodec' }),
    targetResolution: t.String(),
    targetVideoCodec: stringEnum(['h264', 'hevc', 'vp9', 'av1'], { title: 'VideoCodec' }),
    temporalAQ: t.Boolean(),
    threads: t.Integer({ minimum: 0, maximum: MAX_INT32 }),
    tonemap: stringEnum(['hable', 'mobius', 'reinhard', 'disabled'], { title: 'ToneMapping' }),
    transcode: stringEnum(['all', 'optimal', 'bitrate', 'required', 'disabled'], {
      title: 'TranscodePolicy',
    }),
    twoPass: t.Boolean(),
  },
  { title: 'AdminConfigFFmpegDto' },
);

const AdminConfigGeneratedFullsizeImageDto = t.Object(
  {
    enabled: t.Boolean(),
    format: stringEnum(['jpeg', 'webp'], { title: 'ImageFormat' }),
    progressive: t.Optional(t.Boolean({ default: false })),
    quality: t.Integer({ minimum: 1, maximum: 100 }),
  },
  { title: 'AdminConfigGeneratedFullsizeImageDto' },
);

const AdminConfigGeneratedImageDto = t.Object(
  {
    format: stringEnum(['jpeg', 'webp'], { title: 'ImageFormat' }),
    progressive: t.Optional(t.Boolean({ default: false })),
    quality: t.Integer({ minimum: 1, maximum: 100 }),
    size: t.Integer({ minimum: 1 }),
  },
  { title: 'AdminConfigGeneratedImageDto' },
);

export const AdminConfigImageDto = t.Object(
  {
    colorspace: stringEnum(['srgb', 'p3'], { title: 'Colorspace' }),
    extractEmbedded: t.Boolean(),
    fullsize: AdminConfigGeneratedFullsizeImageDto,
    preview: AdminConfigGeneratedImageDto,
    thumbnail: AdminConfigGeneratedImageDto,
  },
  { title: 'AdminConfigImageDto' },
);
