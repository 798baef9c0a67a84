// Writes to a database for as long as it runs, on connections that are opened again whenever they are lost.
// Prints a line for each write: what the database has acknowledged, or 'refused'.
import { connect } from '../../src/db/address.ts';

const sql = connect(process.argv[2]!, { max: 4, backoff: () => 0.001, onnotice: () => {} });

async function writeForever(writer: number): Promise<void> {
  for (let count = 0; ; count++) {
    const value = `${writer}/${count}`;
    try {
      await sql`insert into tag (owner_id, value) select id, ${value} from app_user`;
      console.log(value);
    } catch {
      console.log('refused');
    }
  }
}

for (let writer = 0; writer < 4; writer++) void writeForever(writer);
