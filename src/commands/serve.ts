import { openServiceManager } from '../core/service-manager.ts';
import { VERSION } from '../core/version.ts';
import { readCertificate } from '../http/certificate.ts';
import { startServer } from '../server.ts';
import { type CommandSpec, createCommandLog } from './command.ts';
import { waitForSignal } from './wait-for-signal.ts';

export const command: CommandSpec = {
  help: `Runs the server, its database and its jobs in this terminal until SIGTERM or SIGINT.
A second signal ends it at once.`,
  async run({ settings }) {
    const log = createCommandLog(settings);
    const manager = openServiceManager();
    manager.notify({ STATUS: 'Starting' });
    log.info('starting', { version: VERSION, data: settings.dataDir });
    // As the caller: a private key that only root may read.
    readCertificate(settings);
    // Asked for early: a signal during the start is not lost.
    const signalled = waitForSignal(log);
    manager.startWatchdog();
    const server = await startServer(settings, log, manager);
    manager.notify({ READY: 1 });
    await signalled;
    manager.notify({ STOPPING: 1 });
    await server.stop();
    log.info('stopped');
    process.exit(0);
  },
};
