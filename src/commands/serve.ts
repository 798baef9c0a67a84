import { VERSION } from '../core/version.ts';
import { readCertificate } from '../http/certificate.ts';
import { startServer } from '../server.ts';
import { type CommandSpec, logOf } from './command.ts';
import { untilSignal } from './until-signal.ts';

export const command: CommandSpec = {
  help: `Runs the server, its database and its jobs in this terminal until SIGTERM or SIGINT.
A second signal ends it at once.`,
  async run({ settings }) {
    const log = logOf(settings);
    log.info('starting', { version: VERSION, data: settings.dataDir });
    // As the caller: a private key that only root may read.
    readCertificate(settings);
    // Asked for early: a signal during the start is not lost.
    const signalled = untilSignal(log);
    const server = await startServer(settings, log);
    const ms = Math.round(performance.now());
    log.info(`Safelight is ready: ${server.url}`, { ms });
    await signalled;
    await server.stop();
    log.info('stopped');
    process.exit(0);
  },
};
