// bun test/bench/mail.bench.ts [messages]: mail per second through the queue, each with the cover of its
// album, to an SMTP server in this process that throws it away: over TLS as a provider's, and without.
import { randomBytes } from 'node:crypto';
import type { SMTPServerOptions } from 'smtp-server';
import { handleDeliverMail } from '../support/mail.ts';
import { seed, testDatabase } from '../support/harness.ts';
import { jobCtx } from '../support/processing.ts';
import { shareAlbum } from '../support/shared-album.ts';
import { startSmtpServer } from '../support/smtp-server.ts';
import { round } from './measure.ts';

const [messages = 1000] = process.argv.slice(2).map(Number);
/** The size of a preview. */
const COVER_BYTES = 250_000;

const database = await testDatabase();
const { sql } = database;
const [owner, guest] = [await seed(database).user(), await seed(database).user()];
const albumId = await shareAlbum(database, owner, guest, { preview: randomBytes(COVER_BYTES) });

async function measure(options: SMTPServerOptions) {
  let connections = 0;
  let received = 0;
  const server = await startSmtpServer({
    ...options,
    onConnect: (_session, done) => {
      connections++;
      done();
    },
    onData: (stream, _session, done) => {
      stream.resume();
      stream.on('end', () => {
        received++;
        done();
      });
    },
  });
  await sql`insert into system_config (section, value)
    values ('notifications', ${JSON.stringify({ smtp: server.smtp() })}::text::jsonb)
    on conflict (section) do update set value = excluded.value`;
  await sql`delete from mail_message`;
  await sql`insert into mail_message (key, user_id, template, data)
    select 'bench ' || n, ${guest.id}, 'album-invite',
      jsonb_build_object('albumId', ${albumId}::text, 'senderId', ${owner.id}::text)
    from generate_series(1, ${messages}) n`;
  const cpu = process.cpuUsage();
  const from = performance.now();
  await handleDeliverMail(jobCtx(database, { now: () => new Date() }), {});
  const seconds = (performance.now() - from) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  await server.stop();
  if (received !== messages) throw new Error(`only ${received} of ${messages} messages arrived`);
  return {
    mailsPerSecond: round(messages / seconds, 1),
    // Both sides are counted: the server runs in this process.
    cpuMsPerMail: round((user + system) / 1000 / messages),
    connections,
  };
}

const results = {
  messages,
  coverBytes: COVER_BYTES,
  startTls: await measure({}),
  plain: await measure({ disabledCommands: ['STARTTLS'] }),
};
console.log(JSON.stringify({ bench: 'mail', ...results }));
await database.close();
