import { Failure } from '../core/command-line.ts';
import type { CommandSpec } from './command.ts';

/** Not for the command line: the server starts it. */
export const command: CommandSpec = {
  help: 'Sends a film of the studio to a browser, for a server, over the channel that it has opened.',
  async run() {
    if (!process.send) throw new Failure('studio-stream is started by the server');
    const { serveStream } = await import('../areas/studio/streams/child/serve.ts');
    return serveStream();
  },
};
