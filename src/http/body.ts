/** Where the bytes of a response lie, when that is known without reading its web stream. */
export type BodySource =
  { readonly kind: 'bytes'; readonly bytes: Uint8Array } | FileSource | FileRangesSource;

export type FileSource = {
  readonly kind: 'file';
  readonly path: string;
  readonly start: number;
  /** The first byte that is not sent. */
  readonly end: number;
  /** The file is not there, or shorter than it was when it was written. */
  readonly onGone?: (() => void) | undefined;
};

/** Several ranges, which are read from the stream: only that the file is there is checked before. */
export type FileRangesSource = Pick<FileSource, 'path' | 'end' | 'onGone'> & {
  readonly kind: 'fileRanges';
};

const SOURCE = Symbol('body source');

type Marked = Response & { [SOURCE]?: BodySource };

/**
 * Tells the listener where the bytes are, so that it can send them without a web stream. The
 * response stays complete without it: a copy of the response loses the note and nothing else.
 */
export function noteBodySource(response: Response, source: BodySource): Response {
  (response as Marked)[SOURCE] = source;
  return response;
}

export const bodySourceOf = (response: Response): BodySource | undefined =>
  (response as Marked)[SOURCE];
