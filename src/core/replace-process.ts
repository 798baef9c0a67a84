import { dlopen, ptr } from 'bun:ffi';
import { setCEnv } from '../../native/cenv.ts';

const FIRST_FD = 3;

type Socket = { readonly name: string; readonly fd: number };

/**
 * Makes this process another program, with the same arguments, and with the environment that it was started
 * with and these variables: execv(3). It gets the socket as systemd passes it on: sd_listen_fds(3). Throws when the program cannot run.
 */
export function replaceProcess(
  program: string,
  variables: Readonly<Record<string, string>>,
  socket?: Socket,
): never {
  const libc = dlopen('libc.so.6', {
    execv: { args: ['ptr', 'ptr'], returns: 'i32' },
    dup2: { args: ['i32', 'i32'], returns: 'i32' },
  });
  for (const [name, value] of Object.entries(variables)) setCEnv(name, value);
  if (socket) {
    libc.symbols.dup2(socket.fd, FIRST_FD);
    setCEnv('LISTEN_FDS', '1');
    setCEnv('LISTEN_PID', String(process.pid));
    setCEnv('LISTEN_FDNAMES', socket.name);
  }
  const path = toCString(program);
  const words = [path, ...process.argv.slice(2).map(toCString)];
  const argv = new BigUint64Array([...words.map((word) => BigInt(ptr(word))), 0n]);
  libc.symbols.execv(ptr(path), ptr(argv));
  throw new Error(`${program} cannot be run`);
}

const toCString = (text: string) => Buffer.from(`${text}\0`);
