import type { IncomingMessage } from 'node:http';
import type { Socket as NetSocket } from 'node:net';
import type { Server, Socket } from 'socket.io';
import { requireUser } from '../access/scope.ts';
import type { UserSession } from '../access/session.ts';
import type { Deps } from '../core/context.ts';
import { tooManyRequests } from '../core/errors.ts';
import { IMMICH_VERSION } from '../core/immich-version.ts';
import { requireValue } from '../core/required.ts';
import { type Announcement, CHANNEL } from './announce.ts';
import type { Identify } from './live.ts';
import { type ChangeReaders, toMessages } from './messages.ts';
import { createSocketServer, type Restart } from './socket-server.ts';
import { sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import { queryRows } from '../db/query.ts';

/** The connected clients of this process. */
export type Sockets = {
  /** Without a session the client is told so and disconnected. Throws 429 when there are too many connections. */
  accept(
    incoming: IncomingMessage,
    socket: NetSocket,
    head: Buffer,
    session: UserSession | undefined,
  ): Promise<void>;
  /** Number of connected clients. */
  count(): number;
  close(restart?: Restart): Promise<void>;
};

const RENEW_MS = 60_000;
/** Milliseconds until a client whose session or API key ended is disconnected. */
const LOGOUT_GRACE_MS = 500;
/** Limit of an account, far more than its devices and tabs. */
const MAX_CONNECTIONS = 100;
const RETRY_SECONDS = 60;

const userRoom = (id: string) => `user ${id}`;
/** The room of the connections of a session or an API key. */
const sessionRoom = (id: string) => `session ${id}`;

export async function openSockets(
  deps: Deps,
  { identify, readers }: { readonly identify: Identify; readonly readers: ChangeReaders },
  serverId: string,
): Promise<Sockets> {
  const server = createSocketServer();
  const { io } = server;
  const sessions = new WeakMap<IncomingMessage, UserSession>();
  const connections = createConnectionCounts();

  io.on('connection', (socket) => {
    const session = sessions.get(socket.request);
    if (!session) {
      refuseStranger(socket);
      return;
    }
    void socket.join(userRoom(session.userId));
    for (const id of [session.sessionId, session.apiKeyId])
      if (id) void socket.join(sessionRoom(id));
    socket.emit('on_server_version', IMMICH_VERSION);
  });

  const tell = createSender(deps, { io, readers }, sessions);
  const receive = (payload: string) => {
    tell(JSON.parse(payload) as Announcement).catch((error: unknown) => {
      deps.log.error('live event was not delivered', { error });
    });
  };
  // After a lost connection, what was announced meanwhile was missed: clients that connect again ask
  // for all they show.
  const listening = await deps.sql.listen(CHANNEL, receive, () => void server.hangUp());
  const renewing = setInterval(() => void renew(), RENEW_MS);

  /** Disconnects clients whose session ended, and renews the listeners of the others. */
  async function renew(): Promise<void> {
    const users = new Set<string>();
    for (const socket of io.sockets.sockets.values()) {
      try {
        users.add((await identify(socket.request)).userId);
      } catch {
        socket.disconnect(true);
      }
    }
    try {
      for (const user of users) await upsertListener(deps.db, user, serverId);
      await deleteExpiredListeners(deps.db);
    } catch (error) {
      deps.log.error('renewing live listeners failed, events may be lost', { error });
    }
  }

  return {
    async accept(incoming, socket, head, session) {
      connections.add(session?.userId ?? STRANGERS, socket);
      if (session) {
        sessions.set(incoming, session);
        // Before the client knows that it is connected, so that it misses nothing from then on.
        await upsertListener(deps.db, session.userId, serverId);
      }
      server.handleUpgrade(incoming, socket, head);
    },
    count: () => io.sockets.sockets.size,
    async close(restart) {
      clearInterval(renewing);
      await server.close(restart);
      await listening.unlisten().catch(() => {});
      await deleteListeners(deps.db, serverId).catch(() => {});
    },
  };
}

/** As Immich's clients know it: they end their session, or ask for the maintenance token. */
function refuseStranger(socket: Socket): void {
  socket.emit('error', 'unauthorized');
  socket.disconnect(true);
}

/** Clients without an account share the limit of a single account. */
const STRANGERS = 'strangers';

/** Counts the open connections by account. */
function createConnectionCounts() {
  const counts = new Map<string, number>();
  return {
    add(userId: string, socket: NetSocket): void {
      const count = counts.get(userId) ?? 0;
      if (count >= MAX_CONNECTIONS) {
        const message = `An account can have at most ${MAX_CONNECTIONS} live connections`;
        throw tooManyRequests(message, RETRY_SECONDS);
      }
      // It would never tell that it has closed.
      if (socket.destroyed) return;
      counts.set(userId, count + 1);
      socket.once('close', () => {
        const left = (counts.get(userId) ?? 0) - 1;
        if (left > 0) counts.set(userId, left);
        else counts.delete(userId);
      });
    },
  };
}

/** Sends events in the order of their announcements, although some need database reads. */
function createSender(
  deps: Deps,
  { io, readers }: { readonly io: Server; readonly readers: ChangeReaders },
  sessions: WeakMap<IncomingMessage, UserSession>,
) {
  let last: Promise<void> = Promise.resolve();

  const send = async (announcement: Announcement) => {
    const room = announcement.user && userRoom(announcement.user);
    const target = room ? io.to(room) : io;
    const someone = findFirstSocket(io, room);
    if (!someone) return;
    const own = requireValue(sessions.get(someone.request), 'session of a socket');
    const session = { ...requireUser(own), unlocked: false };
    for (const { name, args } of await toMessages(deps, { session, readers }, announcement)) {
      if (announcement.event === 'session') endSession(io, args[0] as string, name);
      else target.emit(name, ...args);
    }
  };
  return (announcement: Announcement): Promise<void> => {
    const sent = last.then(() => send(announcement));
    last = sent.catch(() => {});
    return sent;
  };
}

function findFirstSocket(io: Server, room: string | undefined): Socket | undefined {
  const { sockets, adapter } = io.sockets;
  const [id] = (room ? adapter.rooms.get(room) : sockets.keys()) ?? [];
  return id === undefined ? undefined : sockets.get(id);
}

function endSession(io: Server, id: string, name: string): void {
  io.to(sessionRoom(id)).emit(name, id);
  setTimeout(() => io.in(sessionRoom(id)).disconnectSockets(true), LOGOUT_GRACE_MS);
}

/** Registers that this server has clients of the account: only then are its changes announced. */
async function upsertListener(db: Db, userId: string, serverId: string): Promise<void> {
  await queryRows(
    db,
    sql`
    insert into live_listener (user_id, server_id, until)
    values (${userId}, ${serverId}, now() + interval '3 minutes')
    on conflict (user_id, server_id) do update set until = excluded.until`,
  );
}

const deleteListeners = async (db: Db, serverId: string): Promise<void> => {
  await queryRows(db, sql`delete from live_listener where server_id = ${serverId}`);
};

/** Deletes the listeners of servers that crashed. */
const deleteExpiredListeners = async (db: Db): Promise<void> => {
  await queryRows(db, sql`delete from live_listener where until < now() - interval '1 hour'`);
};
