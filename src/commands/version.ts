import { VERSION } from '../core/version.ts';
import { type CommandSpec, print } from './command.ts';

export const command: CommandSpec = {
  help: 'Prints the version.',
  run: async () => {
    print(`safelight ${VERSION}`);
    return 0;
  },
};
