import { beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, normalize } from 'node:path';
import { openApi } from '../src/http/openapi.ts';
import { unconnectedApp } from './contract/report.ts';
import { ACTS, ADDRESSES, AS_NAMED, PARTS, PLACES } from './indirect-acts.ts';
import { useApp } from './support/database.ts';
import { call, type Reply, seed, type TestUser } from './support/harness.ts';
import type { Json } from './support/json.ts';

// An act that needs another one needs the permissions of both, unless it is one of Immich or of the specification, which
// name one: see test/field/keys.test.ts. What the guard requires whatever the request is walked by security.test.ts.

const { database, app } = await useApp();
let me: TestUser;
let friend: TestUser;
beforeAll(async () => {
  [me, friend] = [await seed(database).user(), await seed(database).user()];
});

type Act = (as: TestUser) => Promise<Reply>;

describe('a folder of the server', () => {
  const WRITES = [
    'asset.update',
    'album.create',
    'album.update',
    'albumAsset.create',
    'tag.create',
    'tag.asset',
    'stack.create',
    'person.update',
    'library.create',
  ] as const;

  test('is taken in with the permission to make it an external library, by an administrator', async () => {
    const admin = await seed(database).user(['all'], { isAdmin: true });
    const path = mkdtempSync(join(tmpdir(), 'indirect-acts-'));
    const body = { path, ownerId: friend.id };
    const prepare: Act = ({ key }) =>
      call(app, 'POST /move-ins/folder', { as: { ...admin, key: key! }, body });
    const addAdminKey = async (permissions: readonly string[]) => {
      const made = { name: 'k', permissions };
      const { body } = await call(app, 'POST /api-keys', { session: admin, body: made });
      return { ...admin, key: body.secret as string };
    };
    const weak = await addAdminKey(['asset.upload', ...WRITES.slice(0, -1)]);
    const refused = await prepare(weak);
    expect([refused.status, refused.body.message]).toEqual([
      403,
      'Missing required permission: library.create',
    ]);
    const [made] = await database.sql`select count(*)::int as count from operation`;
    expect(made!['count']).toBe(0);
    const { status, body: moveIn } = await prepare(await addAdminKey(['asset.upload', ...WRITES]));
    expect(status).toBe(201);
    // Nor does the key start what another one has prepared.
    const started = await call(app, `POST /move-ins/${moveIn.id}/start`, { as: weak, body: {} });
    expect(started.status).toBe(403);
    expect((await call(app, 'POST /move-ins/folder', { as: me, body })).status).toBe(403);
    rmSync(path, { recursive: true });
  });
});

const AREAS = join(import.meta.dir, '../src/areas');
const SOURCES = readdirSync(AREAS, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\/.*(?<!\.test)\.ts$/.test(path))
  .map((path) => ({
    path,
    area: path.split('/')[0]!,
    text: readFileSync(join(AREAS, path), 'utf8'),
  }));
const IMPORT = /^import \{([^}]*)\} from '([^']+)'/gm;
const VERB =
  /^(?:find)?(?:OrCreate|add|advance|announce|apply|archive|assign|attach|change|copy|create|delete|import|inherit|insert|make|merge|move|name(?=[A-Z])|notify|open|publish|queue|recluster|record|release|remove|render|restore|save|send|set|stack|start|store|supplement|tag|transcode|transcribe|trash|unarchive|untag|update|upsert|enqueue)(?:[A-Z]|$)/;

/** Returns what an area calls of others that changes something, as area.name. */
const listCalls = (area: string): string[] =>
  SOURCES.filter((source) => source.area === area).flatMap(({ path, text }) =>
    [...text.matchAll(IMPORT)].flatMap(([, names = '', from = '']) => {
      const [other = '', ...rest] = normalize(join(path, '..', from)).split('/');
      if (other === area || other === '..' || rest.length === 0) return [];
      return names
        .split(',')
        .map((name) => name.trim().split(' as ')[0]!)
        .filter((name) => VERB.test(name))
        .map((name) => `${other}.${name}`);
    }),
  );

const ALL_AREAS = [...new Set(SOURCES.map(({ area }) => area))];
const hasRoutes = (area: string) =>
  SOURCES.some((source) => source.area === area && source.path.endsWith('routes.ts'));
/** An area without operations acts for those that call it. */
const listActs = (area: string): string[] =>
  listCalls(area).flatMap((name) => {
    const other = name.split('.')[0]!;
    return [name, ...(ACTS[name] && !hasRoutes(other) ? listActs(other) : [])];
  });

describe('what an area does by way of another', () => {
  test('is in the table, with the permission of the direct act or as a part of every one', () => {
    const calls = new Set(ALL_AREAS.flatMap(listCalls));
    expect([...calls].filter((name) => !ACTS[name] && !PARTS.has(name))).toEqual([]);
    expect([...Object.keys(ACTS), ...PARTS].filter((name) => !calls.has(name))).toEqual([]);
  });

  test.each(ALL_AREAS.filter((area) => hasRoutes(area) && listCalls(area).length > 0))(
    '%s names its permission',
    (area) => {
      const texts = SOURCES.filter((source) => source.area === area).map(({ text }) => text);
      const isNamed = (permission: string) =>
        texts.some((text) => text.includes(`'${permission}'`)) ||
        texts.some((text) => /\b(?:of|permission): 'all'/.test(text));
      const acts = new Set(
        listActs(area)
          .filter((name) => !AS_NAMED.has(`${area}: ${name}`))
          .flatMap((name) => ACTS[name] ?? []),
      );
      expect([...acts].filter((permission) => !isNamed(permission))).toEqual([]);
    },
  );
});

type Schema = {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
};

describe('an operation that names a folder of the server or an address', () => {
  const document: Json = openApi(unconnectedApp());
  const PLACE = /^(?:path|importPaths|\w*[fF]olders|url|urls|host|hosts|\w+Url)$/;

  /** Returns whether a member with the name of a place takes a text. */
  function hasPlace(schema: Schema | undefined, depth = 0): boolean {
    const found: Schema | undefined = schema?.$ref
      ? document.components.schemas[schema.$ref.split('/').at(-1)!]
      : schema;
    if (!found || depth > 8) return false;
    const members = Object.entries(found.properties ?? {});
    return (
      members.some(([name, member]) => PLACE.test(name) && takesText(member)) ||
      [...members.map(([, member]) => member), found.items, ...listChoices(found)].some((one) =>
        hasPlace(one, depth + 1),
      )
    );
  }
  const listChoices = (schema: Schema): Schema[] => [
    ...(schema.anyOf ?? []),
    ...(schema.allOf ?? []),
  ];
  const takesText = (schema: Schema | undefined): boolean =>
    schema?.type === 'string' ||
    takesTextItems(schema?.items) ||
    listChoices(schema ?? {}).some(takesText);
  const takesTextItems = (items: Schema | undefined): boolean =>
    items !== undefined && takesText(items);

  const OPERATIONS = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path.replace(/^\/api/, '')}`,
      operation,
    })),
  );
  const found = OPERATIONS.filter(
    ({ name, operation }) =>
      Object.values<{ schema: Schema }>(operation.requestBody?.content ?? {}).some(({ schema }) =>
        hasPlace(schema),
      ) ||
      // A path of the library, which is only compared.
      (name !== 'GET /view/folder' &&
        (operation.parameters ?? []).some(
          (one: { in: string; name: string }) => one.in === 'query' && PLACE.test(one.name),
        )),
  );

  test('is in the table', () =>
    expect(found.map(({ name }) => name).toSorted()).toEqual(Object.keys(PLACES).toSorted()));

  test.each(found)('$name requires its permission', ({ name, operation }) => {
    const place = PLACES[name];
    const required = [operation['x-permission'], ...(operation['x-also-permissions'] ?? [])];
    if (place === 'open') expect(operation['x-open']).toBe(true);
    else expect(required).toContain(place);
    expect(Boolean(operation['x-admin'])).toBe(!ADDRESSES.has(name));
  });
});
