const toBox = (type: string, ...bodies: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(bodies);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
};

/** A box with a version and no flags. */
const toFullBox = (type: string, version: number, ...bodies: readonly Uint8Array[]) =>
  toBox(type, Buffer.from([version, 0, 0, 0]), ...bodies);

const shorts = (...values: readonly number[]): Buffer =>
  Buffer.concat(values.map((value) => Buffer.from([value >> 8, value & 255])));
const longs = (...values: readonly number[]): Buffer =>
  Buffer.concat(values.map((value) => shorts(value >>> 16, value & 0xffff)));

/** Returns an AVIF whose picture is that of another one, twice side by side (ISO/IEC 23008-12 §6.6.2.3). */
export function writeGrid(avif: Buffer, tile: { width: number; height: number }): Buffer {
  const copy = (type: string): Buffer => {
    const at = avif.indexOf(type, 0, 'latin1') - 4;
    return avif.subarray(at, at + avif.readUInt32BE(at));
  };
  const data = copy('mdat').subarray(8);
  const toSize = (width: number, height: number) => toFullBox('ispe', 0, longs(width, height));
  const grid = Buffer.concat([Buffer.from([0, 0, 0, 1]), shorts(tile.width * 2, tile.height)]);
  const ftyp = toBox('ftyp', Buffer.from('avif\0\0\0\0avifmif1miaf', 'latin1'));
  const item = (id: number, type: string) =>
    toFullBox('infe', 2, shorts(id, 0), Buffer.from(`${type}\0`, 'latin1'));
  const properties = [copy('av1C'), toSize(tile.width, tile.height), copy('colr'), copy('pixi')];
  const build = (start: number): Buffer => {
    const extent = (id: number, at: number, length: number) =>
      Buffer.concat([shorts(id, 0, 1), longs(start + at, length)]);
    return toFullBox(
      'meta',
      0,
      toFullBox('hdlr', 0, longs(0), Buffer.from('pict'), Buffer.alloc(13)),
      toFullBox('pitm', 0, shorts(1)),
      toFullBox(
        'iloc',
        0,
        Buffer.from([0x44, 0]),
        shorts(3),
        extent(1, 0, grid.length),
        extent(2, grid.length, data.length),
        extent(3, grid.length, data.length),
      ),
      toFullBox('iinf', 0, shorts(3), item(1, 'grid'), item(2, 'av01'), item(3, 'av01')),
      toFullBox('iref', 0, toBox('dimg', shorts(1, 2, 2, 3))),
      toBox(
        'iprp',
        toBox('ipco', ...properties, toSize(tile.width * 2, tile.height)),
        toFullBox(
          'ipma',
          0,
          longs(3),
          Buffer.concat([shorts(1), Buffer.from([3, 5, 3, 4])]),
          Buffer.concat([shorts(2), Buffer.from([4, 0x81, 2, 3, 4])]),
          Buffer.concat([shorts(3), Buffer.from([4, 0x81, 2, 3, 4])]),
        ),
      ),
    );
  };
  const start = ftyp.length + build(0).length + 8;
  return Buffer.concat([ftyp, build(start), toBox('mdat', grid, data)]);
}
