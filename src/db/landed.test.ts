import { expect, test } from 'bun:test';
import { type Migration, migrations } from '../../migrations/index.ts';

/**
 * SHA-256 of each migration of the released versions, by name and in order. A database that has
 * applied one of them with another text is refused, so these files are frozen: a change is a new
 * migration. A release adds its own, and its library (`make release-library`).
 */
const RELEASED: Readonly<Record<string, string>> = {
  // 0.2.0
  '0001_identity': '89abb91b9cef8ffe159856b6120c4dde99f4a7fdf1ed98da35707e2e39365f16',
  '0002_preferences': '34a5e9451b6d9d5a9f257714c73e94e383bda3d5b7104d2fa2c33714ecb0857f',
  '0003_assets': '148dc18831c252182efcf14bb8b88ef6722274d066d655802735ccf1b2a045ab',
  '0004_asset_counts': 'dde5d1583803a85599a24e9ee5a07676e5822265ba39d931eca384b0a067ee82',
  '0005_albums': '5f9373bbda92f907401e451acf91bf76479438d689e7cb8f08e188310223d4b3',
  '0006_jobs': '6859391a0070895353e1662f1989ed30df9855070c9d17e9afd2232b697b7ba1',
  '0007_tags': 'c814619f3e9bb82d7afdb132ddc71a5062a01200fdf58b2ccd33746bd6f642d4',
  '0008_stacks': '62191a91732e43811bd58f337514f1d9fe812fda4a319a4172fbdb5d8d321eec',
  '0009_trash': '46aeb20d457a36dc7ac44b6797bc2cd48dec26df7bc891feae6324b9b44b5fa0',
  '0010_operations': 'ba0fc4b63d4d0eb85941595c3fb79f0fd42a76900ec3dcc0ff20d63408c5f729',
  '0011_uploads': '47bfed9239a29c76f5fa25cda146e216d1ee7cc6ec9c56b1e878f25bb10ccad5',
  '0012_backup': 'f68845c4cb0032d62d770aa6974c12e6b7b51b94c4b6fbfe764d58c492ad72be',
  '0013_inference': '21f1f40fbeb9942a6fd6ec39af213df09286489cde0817927c95d887a3402b2f',
  '0014_people': 'f154519de700e60e308bcbea90bbb58cb206353e5205ad0184430bc825905479',
  '0015_pets': 'cd355ae2521950bbd6ebecadaac2a7a4e13321a08b16ac32f5c430aff38bb207',
  '0016_documents': '99000793615806d6bb806b49fb5c2d5c87f123658f44dda568451ac5dda1c289',
  '0017_videos': '170bb9da5b54023147c099359b21afc00147d68b2a959353a6eb81e9ed911d8c',
  '0018_duplicates': '19e5368bbdec639882509dff454784247beb7506d29581666d99dec23047334d',
  '0019_map': '1059320eb0fb5c9c9a63108c56d0a39015375884903ab7a14558966b91968280',
  '0020_search': '5b02cd4ea96527f5ec2d022d06adf180ccf9c9e357cb4f1cba9f5d68f7cd1555',
  '0021_sync': '408420e32886ffb8d3ffed6cd4428cb2dad47a9861742fb11416928f6cad9081',
  '0022_live': 'fe795083671f1151ec903a2e62d8207b843f1fa8c27d12348f35d8e1f225bb58',
  '0023_memories': 'e095a03f352284163bf6a60bc0953a39d55f0e0288bb11c1993153ecc737eb7a',
  '0024_notifications': '96abe4ba538dd80d9e3b431ad5dae46831f969926887df6331e4dcb604f11422',
  '0025_system_config': '5b9a2bd9de9f730d3b2dbf229fdebdfc782c138c8b8a2688e07c8a7038d1e5d9',
  '0026_workflows': 'bd2ed1c34296ec31ea984b56745bfaccb974b891da44651f9cd7b630ef1111b2',
  '0027_integrity': '5e34dc9bf100c5987c759325dd60db08a0c15a21ed56af82bcdaf6229163f7d0',
  '0028_libraries': '526f554735b16b12082e21fc1067214dac493fadb4cc5912b256c7f34c723723',
  '0029_physical_deduplication': '5c9a7b52250e6e5c496cb4327a4ac5118962ed392944b72d13d59032395dd8ea',
  '0030_oauth': 'bf43d8a9affc0f984e451c1521311a0785f10de3acceaff670ea849c20e61ea5',
  '0031_studio': 'ab8ed884fd395712d2249d137bdf6c6ba7affa6f9887f2ffb7e0abbcc56c981b',
  '0032_studio_exports': '154182a407545a448917cf271a63e27c0b415f89b8379d1e02bba91030b66f3e',
  '0033_composites': '0e31414da0d19e99d65603d4f3c93d1b3e46d45f2bf11c8f5f9ba6c720327aa4',
  // 0.3.0
  '0034_labels': '127c3a106edf6c2ecf555a25085ca79ccfd328c70edf89fef570cfda17faa3bd',
  '0035_sharing': 'b9afef3d2943a9434f60159071dd834e709cabe1318a431b75867ff10b364403',
  '0036_edits': 'c5923acbcb5a173adb6ade35b2cdb336c608770d9d2219634f1c2433d4d230a0',
  '0037_exports': '00f62a9436a6158c9034de10cda03ccb776f44e45ffca782fcfc2447cfa8f9d3',
  '0038_administration': '6a6d0136486c44eda4f33800c4e8a05e1e981e49f5f39f042b8655ed6dc53ed6',
  '0039_servers': '457cf8340183e98b35e413589aad9c8559b0a01c66b34b481158d4428e2997e7',
  '0040_imports': '697d3f8d34f7540b05f3d6bf6d9a04f13ff3332009b6e9db29f057298abbfc94',
  '0041_workflow_undo': '1c7435343c0ccdc4a572311c0aff932d9b65fe3529efc9d1da0fff534de7376a',
  '0042_sidecars': 'aa858f4b89161e8cfddd731e35892f1754b4e8baaeff4e614064c3bbf819f1cb',
  '0043_object_storage': 'a9a5e7237521d669b48c5f5869e14d7e14ca0b72fd7e9ad845c2dd1e3de3fde5',
  '0044_search_pages': 'e112a61fd22b52711449a56beb1843d416e80b853dbfb35f9ab7eb57ba24a65a',
};

const digest = (sql: string) => new Bun.CryptoHasher('sha256').update(sql).digest('hex');

/** Returns the released migrations that are missing, edited, or at another position. */
const findChanged = (released: Readonly<Record<string, string>>, now: readonly Migration[]) =>
  Object.entries(released)
    .filter(([name, sum], at) => now[at]?.name !== name || digest(now[at].sql) !== sum)
    .map(([name]) => name);

test('no released migration has changed', () => {
  expect(findChanged(RELEASED, migrations)).toEqual([]);
});

test('detects a released migration that was edited or removed, and a new one before it', () => {
  const released = Object.fromEntries(migrations.map(({ name, sql }) => [name, digest(sql)]));
  const [first, second] = migrations as [Migration, Migration];
  const extra = { name: '0000_extra', sql: 'select 1' };
  expect(findChanged(released, [...migrations, extra])).toEqual([]);
  const edited = migrations.with(1, { ...second, sql: `${second.sql} ` });
  expect(findChanged(released, edited)).toEqual([second.name]);
  expect(findChanged(released, migrations.slice(0, -1))).toEqual([migrations.at(-1)!.name]);
  expect(findChanged(released, [extra, ...migrations])).toContain(first.name);
});
