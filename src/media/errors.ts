/**
 * What is wrong with a media file. `broken` and `unsupported` never get better by trying again;
 * `timeout` may on a less busy machine; `too-large` is a limit of ours.
 */
export type MediaErrorKind = 'broken' | 'too-large' | 'unsupported' | 'timeout';

export class MediaError extends Error {
  override readonly name = 'MediaError';
  readonly kind: MediaErrorKind;

  constructor(kind: MediaErrorKind, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.kind = kind;
  }
}

export const broken = (message: string, cause?: unknown) =>
  new MediaError('broken', message, { cause });
export const unsupported = (message: string) => new MediaError('unsupported', message);
