import { Failure } from '../core/command-line.ts';
import type { CommandSpec } from './command.ts';

/** Not for the command line: who installs or runs models starts it. */
export const command: CommandSpec = {
  help: 'Rewrites a model into the one that is run, and prints that.',
  words: Infinity,
  async run({ words }) {
    const { prepareModel } = await import('../inference/prepare/prepare-model.ts');
    try {
      await prepareModel(words);
    } catch (error) {
      // The last line is the reason, for whoever has started it.
      throw new Failure((error as Error).message, { cause: error });
    }
    return 0;
  },
};
