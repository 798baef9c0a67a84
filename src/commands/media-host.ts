import { Failure } from '../core/command-line.ts';
import { openServiceManager } from '../core/service-manager.ts';
import { startMediaHost } from '../media/host/serve.ts';
import { type CommandSpec, createCommandLog } from './command.ts';
import { waitForSignal } from './wait-for-signal.ts';

export const command: CommandSpec = {
  help: `Starts decoders, ffmpeg and models for a server with the same --media-socket, as the same user, until
SIGTERM or SIGINT. It needs no network and no database, and may be given less of the machine than the server.`,
  async run({ settings }) {
    const { mediaSocket } = settings;
    if (mediaSocket === undefined) throw new Failure('media-host needs --media-socket');
    const log = createCommandLog(settings);
    const manager = openServiceManager();
    // Its socket; children get that of the server.
    process.umask(0o077);
    const signalled = waitForSignal(log);
    const host = await startMediaHost(mediaSocket, log);
    log.info('the media host is ready', { socket: mediaSocket });
    manager.notify({ READY: 1 });
    manager.startWatchdog();
    await signalled;
    manager.notify({ STOPPING: 1 });
    await host.stop();
    log.info('stopped');
    process.exit(0);
  },
};
