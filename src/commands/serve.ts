import type { Log } from '../core/log.ts';
import { type DataPaths, dataPaths } from '../core/paths.ts';
import { replaceProcess } from '../core/replace-process.ts';
import { openServiceManager } from '../core/service-manager.ts';
import { VERSION } from '../core/version.ts';
import type { KeptSocket } from '../front.ts';
import { readCertificate } from '../http/certificate.ts';
import { findReplacement, recordFinal } from '../maintenance/failed-update.ts';
import { startServer } from '../server.ts';
import { type CommandSpec, createCommandLog } from './command.ts';
import { waitForSignal } from './wait-for-signal.ts';

/** Becomes the program of before. Its media host would be of the newer version: it starts its children itself. */
function giveWay(program: string, paths: DataPaths, log: Log, socket?: KeptSocket): void {
  try {
    replaceProcess(program, { SAFELIGHT_MEDIA_SOCKET: '' }, socket);
  } catch (error) {
    log.error('the program of before cannot be run', { error });
    recordFinal(paths);
  }
}

export const command: CommandSpec = {
  help: `Runs the server, its database and its jobs in this terminal until SIGTERM or SIGINT.
A second signal ends it at once.`,
  async run({ settings }) {
    const log = createCommandLog(settings);
    const paths = dataPaths(settings.dataDir);
    const before = findReplacement(paths, new Date());
    if (before) {
      log.warn('the update to this version has failed, starting the one before', { before });
      giveWay(before, paths, log);
    }
    const manager = openServiceManager();
    manager.notify({ STATUS: 'Starting' });
    log.info('starting', { version: VERSION, data: settings.dataDir });
    // As the caller: a private key that only root may read.
    readCertificate(settings);
    // Asked for early: a signal during the start is not lost.
    const signalled = waitForSignal(log);
    // A program that takes over is ready already for its manager.
    manager.startWatchdog();
    const server = await startServer(settings, log, manager);
    manager.notify({ READY: 1 });
    const program = await Promise.race([signalled, server.replacedBy]);
    if (program === undefined) {
      manager.notify({ STOPPING: 1 });
      await server.stop();
      log.info('stopped');
      process.exit(0);
    }
    const socket = server.copySocket();
    await server.stop();
    giveWay(program, paths, log, socket);
    // To be started again, without the other.
    process.exit(1);
  },
};
