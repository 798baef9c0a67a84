import { UsageError } from '../core/command-line.ts';
import { type CommandSpec, print } from './command.ts';
import { runNativeSelftest } from './selftest-native.ts';

export const command: CommandSpec = {
  usage: '<model.onnx>',
  help: `Uses each native library once and prints what came of it. The model takes x and gives y, both
two floats.`,
  words: 1,
  async run({ words }) {
    const [model] = words;
    if (!model) throw new UsageError('selftest-native needs a model');
    print(JSON.stringify(await runNativeSelftest(model)));
    // The WebRTC library keeps threads of its own.
    process.exit(0);
  },
};
