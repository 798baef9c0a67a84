/**
 * Why a media file cannot be shown. `broken`, `unsupported` and `too-large` (our limit) are
 * permanent; `timeout` and `interrupted` (a tool crashed, stalled or ran out of its memory) may
 * succeed on a retry; `killed` (somebody else ended it) says nothing about the file.
 */
export type MediaErrorKind =
  'broken' | 'too-large' | 'unsupported' | 'timeout' | 'interrupted' | 'killed';

export class MediaError extends Error {
  override readonly name = 'MediaError';
  readonly kind: MediaErrorKind;

  constructor(kind: MediaErrorKind, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.kind = kind;
  }
}

/** Returns whether a retry would fail, too. */
export const isPermanent = ({ kind }: MediaError): boolean =>
  kind !== 'timeout' && kind !== 'interrupted' && kind !== 'killed';

export const broken = (message: string, cause?: unknown) =>
  new MediaError('broken', message, { cause });
export const interrupted = (message: string, cause?: unknown) =>
  new MediaError('interrupted', message, { cause });
export const killed = (message: string, cause?: unknown) =>
  new MediaError('killed', message, { cause });
export const unsupported = (message: string) => new MediaError('unsupported', message);

/** From the first slash of an absolute path to its last; names may contain blanks. */
const FOLDERS = /(?<![\w.])\/(?:(?!: )[^\n])*\//g;

/** Returns what a tool has said without the folders of the files that it names: where they lie is no one's business. */
export const withoutFolders = (message: string): string => message.replaceAll(FOLDERS, '');

/** Debian package by tool. */
const PACKAGES: Readonly<Record<string, string>> = {
  brotli: 'brotli',
  convert: 'imagemagick',
  dcraw_emu: 'libraw-bin',
  exiftool: 'perl',
  ffmpeg: 'ffmpeg',
  ffprobe: 'ffmpeg',
  'heif-convert': 'libheif-examples',
  'heif-info': 'libheif-examples',
  jxlinfo: 'libjxl-tools',
};

/** A required tool is not installed; the file is not at fault. */
export class ToolMissing extends Error {
  override readonly name = 'ToolMissing';

  constructor(tool: string, options: { cause?: unknown } = {}) {
    const source = PACKAGES[tool];
    const remedy = source ? `: apt-get install ${source}` : '';
    super(`${tool} is not installed on this machine, or cannot be started${remedy}`, options);
  }
}

/** A tool fails on a file that is known to be good: what it says of other files is no verdict. */
export class ToolBroken extends Error {
  override readonly name = 'ToolBroken';

  constructor(tool: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`${tool} does not work on this machine: it fails on a good file (${reason})`, { cause });
  }
}
