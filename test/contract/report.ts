import { silentLog } from '../../src/core/log.ts';
import { dataPaths } from '../../src/core/paths.ts';
import { defaultSettings } from '../../src/core/settings.ts';
import { createApp } from '../../src/app.ts';
import { openDatabase } from '../../src/db/client.ts';
import { openApi } from '../../src/http/openapi.ts';
import { COMPATIBLE, SPECIFIED } from './compare.ts';

/** The app without a database: no query is made, so the pool never connects. */
export function unconnectedApp() {
  const { db, sql } = openDatabase('postgres://nowhere/nothing');
  return createApp({
    db,
    sql,
    now: () => new Date(),
    paths: dataPaths('/nowhere'),
    settings: defaultSettings(),
    log: silentLog,
  });
}

export const isBuilt = (name: string, document: ReturnType<typeof openApi>) => {
  const [method, path] = name.split(' ') as [string, string];
  return Boolean(document['paths'][path]?.[method.toLowerCase()]);
};

// `make contract`: what is built, and what is pending by its number in the specification.
if (import.meta.main) {
  const document = openApi(unconnectedApp());
  const number = (name: string) => SPECIFIED.findIndex((operation) => operation.name === name) + 1;
  const pending = SPECIFIED.filter(({ name }) => !isBuilt(name, document));
  const compatible = COMPATIBLE.filter(({ name }) => isBuilt(name, document));
  console.log('pending:');
  for (const { name } of pending) console.log(`  ${String(number(name)).padStart(3)} ${name}`);
  console.log(`${SPECIFIED.length - pending.length} of ${SPECIFIED.length}`);
  console.log(`and ${compatible.length} of ${COMPATIBLE.length} that clients call beyond it`);
}
