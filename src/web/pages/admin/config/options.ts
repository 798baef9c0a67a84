import type { Options } from '../../../data/admin/config/members.ts';
import { t } from '../../../base/i18n.ts';

// Names of formats and programs are the same in every language.

export const same = (...values: string[]): Options =>
  Object.fromEntries(values.map((value) => [value, value]));

export const IMAGE_FORMATS: Options = { jpeg: 'JPEG', webp: 'WebP' };
export const COLOR_SPACES: Options = { srgb: 'sRGB', p3: 'Display P3' };
export const VIDEO_CODECS: Options = { h264: 'H.264', hevc: 'HEVC', vp9: 'VP9', av1: 'AV1' };
export const AUDIO_CODECS: Options = {
  mp3: 'MP3',
  aac: 'AAC',
  opus: 'Opus',
  pcm_s16le: 'PCM',
};
export const CONTAINERS: Options = { mov: 'MOV', mp4: 'MP4', ogg: 'Ogg', webm: 'WebM' };
export const PRESETS: Options = same(
  'ultrafast',
  'superfast',
  'veryfast',
  'faster',
  'fast',
  'medium',
  'slow',
  'slower',
  'veryslow',
);
export const RESOLUTIONS: Options = {
  480: '480p',
  720: '720p',
  1080: '1080p',
  1440: '1440p',
  2160: '2160p (4K)',
  original: t('As the original'),
};
export const TRANSCODE_POLICIES: Options = {
  all: t('All videos'),
  optimal: t('Those of another format or resolution'),
  bitrate: t('Those of another format or a higher bitrate'),
  required: t('Only those of another format'),
  disabled: t('None'),
};
export const TONE_MAPS: Options = {
  hable: 'Hable',
  mobius: 'Mobius',
  reinhard: 'Reinhard',
  disabled: t('None'),
};
export const ACCELERATORS: Options = {
  nvenc: 'NVENC',
  qsv: 'Quick Sync',
  vaapi: 'VA-API',
  rkmpp: 'RKMPP',
  disabled: t('Chosen by the server'),
};
export const LOG_LEVELS: Options = {
  verbose: t('Everything'),
  debug: t('Debug messages'),
  log: t('Information'),
  warn: t('Warnings and errors'),
  error: t('Errors'),
  fatal: t('Fatal errors'),
};
