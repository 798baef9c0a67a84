/** Source of the bytes of a response, known without reading its web stream. */
export type BodySource =
  { readonly kind: 'bytes'; readonly bytes: Uint8Array } | FileSource | FileRangesSource;

export type FileSource = {
  readonly kind: 'file';
  readonly path: string;
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  /** Called when the file is missing or shorter than `end`. */
  readonly onGone?: (() => void) | undefined;
};

/** Several ranges of a file, sent from the stream. Before that, only the file's length is checked. */
export type FileRangesSource = Pick<FileSource, 'path' | 'end' | 'onGone'> & {
  readonly kind: 'fileRanges';
};

const SOURCE = Symbol('body source');

type ResponseWithSource = Response & { [SOURCE]?: BodySource };

/**
 * Lets the listener send the bytes without a web stream. The response is complete without it: a clone
 * loses the source and is sent as a stream.
 */
export function setBodySource(response: Response, source: BodySource): Response {
  (response as ResponseWithSource)[SOURCE] = source;
  return response;
}

export const findBodySource = (response: Response): BodySource | undefined =>
  (response as ResponseWithSource)[SOURCE];
