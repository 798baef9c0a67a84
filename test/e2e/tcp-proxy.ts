import { connect, createServer, type Socket } from 'node:net';

export type TcpProxy = {
  readonly url: string;
  /** Resolves when so many more bytes have gone to the server: their connection stands still from then on. */
  hold(bytes: number): Promise<void>;
  /** Ends every connection, and refuses others until `mend`. */
  cut(): void;
  mend(): void;
  close(): void;
};

/** Between browser and server: what a browser calls offline leaves a transfer alone. */
export async function openTcpProxy(port: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let isCut = false;
  let held = { bytes: Infinity, resolve: () => {} };
  const front = createServer((socket) => {
    if (isCut) return void socket.destroy();
    const back = connect(port, '127.0.0.1');
    for (const end of [socket, back]) {
      sockets.add(end);
      end.on('error', () => {});
      end.on('close', () => {
        sockets.delete(end);
        socket.destroy();
        back.destroy();
      });
    }
    socket.pipe(back).pipe(socket);
    socket.on('data', ({ length }) => {
      held.bytes -= length;
      if (held.bytes > 0) return;
      socket.unpipe(back).pause();
      held.resolve();
      held = { bytes: Infinity, resolve: () => {} };
    });
  });
  await new Promise<void>((done) => front.listen(0, '127.0.0.1', done));
  const address = front.address() as { port: number };
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${address.port}`,
    hold: (bytes) => new Promise((resolve) => void (held = { bytes, resolve })),
    cut,
    mend: () => void (isCut = false),
    close() {
      cut();
      front.close();
    },
  };
}
