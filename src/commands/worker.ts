import { startWorker } from '../server.ts';
import { type CommandSpec, createCommandLog } from './command.ts';
import { waitForSignal } from './wait-for-signal.ts';

export const command: CommandSpec = {
  help: `Runs jobs for a server on another machine, until SIGTERM or SIGINT. Needs --database-url, and
--data has to be the data folder of that server, as over a network share.`,
  async run({ settings }) {
    const log = createCommandLog(settings);
    const signalled = waitForSignal(log);
    const worker = await startWorker(settings, log);
    log.info('the worker is ready', { lanes: settings.lanes });
    await signalled;
    await worker.stop();
    log.info('stopped');
    process.exit(0);
  },
};
