/**
 * Why a media file is not shown. `broken`, `unsupported` and `too-large` (a limit of ours) are
 * verdicts about the file; `timeout` and `interrupted` (a tool was killed, stopped or ran out of
 * memory) say nothing about it, and another attempt may succeed.
 */
export type MediaErrorKind = 'broken' | 'too-large' | 'unsupported' | 'timeout' | 'interrupted';

export class MediaError extends Error {
  override readonly name = 'MediaError';
  readonly kind: MediaErrorKind;

  constructor(kind: MediaErrorKind, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.kind = kind;
  }
}

/** False for what may succeed when it is tried again. */
export const isPermanent = ({ kind }: MediaError): boolean =>
  kind !== 'timeout' && kind !== 'interrupted';

export const broken = (message: string, cause?: unknown) =>
  new MediaError('broken', message, { cause });
export const interrupted = (message: string, cause?: unknown) =>
  new MediaError('interrupted', message, { cause });
export const unsupported = (message: string) => new MediaError('unsupported', message);

/** By the Debian package that has it. */
const PACKAGES: Readonly<Record<string, string>> = {
  dcraw_emu: 'libraw-bin',
  exiftool: 'libimage-exiftool-perl',
  ffmpeg: 'ffmpeg',
  ffprobe: 'ffmpeg',
  'heif-convert': 'libheif-examples',
};

/** A program of this machine is not there: nothing is wrong with the file that needs it. */
export class ToolMissing extends Error {
  override readonly name = 'ToolMissing';

  constructor(tool: string, options: { cause?: unknown } = {}) {
    const source = PACKAGES[tool];
    const remedy = source ? `: apt-get install ${source}` : '';
    super(`${tool} is not installed on this machine, or cannot be started${remedy}`, options);
  }
}
