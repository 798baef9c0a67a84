import { expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, seed } from '../../../test/support/harness.ts';
import { loadWeb, createWebHandler } from '../../http/web.ts';

const { database, app } = await useApp();

const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' };
const APP = { 'user-agent': 'immich-android/3.1.0' };

type Outlines = {
  type: string;
  features: {
    properties: { name: string };
    geometry: { coordinates: [number, number][][][] };
  }[];
};

const styleUrls = async (headers: Record<string, string>) => {
  const { body } = await call(app, 'GET /server/config', { headers });
  return [body.mapLightStyleUrl, body.mapDarkStyleUrl];
};

test('the server configuration offers a map and its styles', async () => {
  expect((await call(app, 'GET /server/features')).body.map).toBe(true);
  expect(await styleUrls(BROWSER)).toEqual([
    '/api/map/style/light.json',
    '/api/map/style/dark.json',
  ]);
  const me = await seed(database).user();
  const { map } = (await call(app, 'GET /config', { as: me, headers: BROWSER })).body;
  expect(map).toEqual({
    enabled: true,
    lightStyle: '/api/map/style/light.json',
    darkStyle: '/api/map/style/dark.json',
  });
});

test('a client without a page receives absolute URLs', async () => {
  for (const url of await styleUrls(APP)) {
    expect(url).toMatch(/^http:\/\/[^/]+\/api\/map\/style\/(light|dark)\.json$/);
    const { body } = await call(app, `GET ${new URL(url).pathname.slice('/api'.length) as '/'}`, {
      headers: APP,
    });
    expect(URL.canParse(body.sources.world.data)).toBe(true);
  }
});

test('a light or dark style refers to this server only', async () => {
  const web = createWebHandler(await loadWeb());
  const seen = new Set<string>();
  for (const theme of ['light', 'dark'] as const) {
    const { status, body } = await call(app, `GET /map/style/${theme}.json`, { headers: BROWSER });
    expect(status).toBe(200);
    expect(body).toMatchObject({ version: 8, layers: [{ type: 'background' }, {}, {}] });
    // Both need files that no client brings along.
    expect(Object.keys(body)).not.toContain('glyphs');
    expect(Object.keys(body)).not.toContain('sprite');
    expect(JSON.stringify(body)).not.toContain('http');
    seen.add(JSON.stringify(body.layers));
    const names = new Set(body.layers.map(({ source }: { source?: string }) => source));
    expect([...names]).toEqual([undefined, ...Object.keys(body.sources)]);

    const outlines = web(new Request(`http://nas${body.sources.world.data}`))!;
    expect(outlines.headers.get('content-type')).toContain('json');
    const { type, features } = (await outlines.json()) as Outlines;
    expect(type).toBe('FeatureCollection');
    expect(features.length).toBeGreaterThan(200);
    const portugal = features.find(({ properties }) => properties.name === 'Portugal');
    const rings: [number, number][][] = portugal!.geometry.coordinates.flat();
    for (const ring of rings) {
      expect(ring[0]).toEqual(ring.at(-1)!);
      for (const [longitude, latitude] of ring) {
        expect(Math.abs(longitude)).toBeLessThanOrEqual(180);
        expect(Math.abs(latitude)).toBeLessThanOrEqual(90);
      }
    }
    // Lisbon is near its western coast.
    expect(Math.min(...rings.flat().map(([longitude]) => longitude))).toBeLessThan(-9);
  }
  expect(seen.size).toBe(2);
});

test('returns 404 for unknown styles', async () => {
  for (const file of ['blue.json', 'light', '..%2Flight.json']) {
    expect((await call(app, `GET /map/style/${file}`)).status).toBe(400);
  }
});
