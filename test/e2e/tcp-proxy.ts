import { connect, createServer, type Socket } from 'node:net';

export type TcpProxy = {
  readonly url: string;
  /** Ends every connection, and refuses others until `mend`. */
  cut(): void;
  mend(): void;
  close(): void;
};

/** Between browser and server: what a browser calls offline leaves a transfer alone. */
export async function openTcpProxy(port: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let isCut = false;
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
  });
  await new Promise<void>((done) => front.listen(0, '127.0.0.1', done));
  const address = front.address() as { port: number };
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${address.port}`,
    cut,
    mend: () => void (isCut = false),
    close() {
      cut();
      front.close();
    },
  };
}
