import { describe, expect, test } from 'bun:test';
import { DEFAULTS as ADMIN_DEFAULTS } from '../../../../areas/system-config/index.ts';
import { AdminConfigDto } from '../../../../areas/system-config/document/document.ts';
import { OWN_DEFAULTS } from '../../../../areas/system-config/document/own.ts';
import { ApiError } from '../../../base/api.ts';
import {
  applyChanges,
  filterSubjects,
  findMissing,
  pickChanges,
  readMember,
  toFaults,
  withChange,
  withoutSaved,
} from './config-data.ts';
import { SUBJECTS } from '../../../pages/admin/config/subjects.ts';

const DEFAULTS = { ...ADMIN_DEFAULTS, ...OWN_DEFAULTS };
const members = SUBJECTS.flatMap((subject) => subject.members);
const getSubject = (id: string) => SUBJECTS.find((subject) => subject.id === id)!;
const listPaths = (query: string) =>
  filterSubjects(SUBJECTS, query).flatMap((subject) => subject.members.map(({ path }) => path));

type Schema = { properties?: Record<string, Schema>; enum?: readonly string[]; items?: Schema };
const findSchema = (path: string): Schema =>
  path
    .split('.')
    .reduce<Schema>(
      (schema, name) => schema.properties![name]!,
      AdminConfigDto as unknown as Schema,
    );

const TYPES: Partial<Record<string, 'boolean' | 'number'>> = {
  switch: 'boolean',
  number: 'number',
};

describe('the table of members', () => {
  test('names each member once', () => {
    const paths = members.map(({ path }) => path);
    expect(new Set(paths).size).toBe(paths.length);
    const ids = SUBJECTS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test.each(members.map((member) => [member.path, member] as const))(
    'asks for %s as the document has it',
    (path, member) => {
      const value = readMember(DEFAULTS, path);
      if (member.kind === 'choices' || member.kind === 'lines') expect(value).toBeArray();
      else if (member.kind === 'optional-number') expect([null, 0]).toContain(value as null);
      else expect(typeof value).toBe(TYPES[member.kind] ?? 'string');
      if (!('options' in member)) return;
      const schema = findSchema(path);
      const wanted = schema.enum ?? schema.items?.enum;
      if (wanted) expect(Object.keys(member.options).sort()).toEqual([...wanted].sort());
      else expect(Object.keys(member.options)).toContain(value as string);
    },
  );
});

test('a search finds titles, help, subjects and paths, each word of it, and nothing else', () => {
  expect(listPaths('TRASH days')).toEqual(['user.deleteDelay', 'trash.days']);
  expect(listPaths('user.deleteDelay')).toEqual(['user.deleteDelay']);
  expect(listPaths('without an account')).toEqual(['server.loginPageMessage']);
  expect(listPaths('places')).toEqual(['map.enabled', 'reverseGeocoding.enabled']);
  expect(listPaths('trash zebra')).toEqual([]);
  expect(listPaths(' ').length).toBe(members.length);
});

test('a change is kept while it differs from what is saved', () => {
  const state = { saved: DEFAULTS, sent: {} };
  const changes = withChange({}, state, 'trash.days', 5);
  expect(changes).toEqual({ 'trash.days': 5 });
  expect(withChange(changes, state, 'trash.days', DEFAULTS.trash.days)).toEqual({});
  const both = withChange(changes, state, 'map.enabled', false);
  expect(pickChanges(both, getSubject('places'))).toEqual({ 'map.enabled': false });
});

test('a value that is put back while another is saved stays a change', () => {
  const { days } = DEFAULTS.trash;
  const sent = { 'trash.days': 5 };
  const changes = withChange(sent, { saved: DEFAULTS, sent }, 'trash.days', days);
  expect(withoutSaved(changes, sent)).toEqual({ 'trash.days': days });
  const other = withChange(sent, { saved: DEFAULTS, sent }, 'map.enabled', DEFAULTS.map.enabled);
  expect(withoutSaved(other, sent)).toEqual({});
});

test('changes are made to a copy of the document, which keeps the rest', () => {
  const changed = applyChanges(DEFAULTS, { 'machineLearning.clip.enabled': false });
  expect(changed.machineLearning.clip).toEqual({
    ...DEFAULTS.machineLearning.clip,
    enabled: false,
  });
  expect(changed.machineLearning.ocr).toEqual(DEFAULTS.machineLearning.ocr);
  expect(DEFAULTS.machineLearning.clip.enabled).toBe(true);
});

test('faults are told at the member that the server names, others as a sentence', () => {
  const error = new ApiError(400, 'trash.days: Too small', { 'trash.days': 'Too small' });
  expect(toFaults(error, getSubject('accounts'))).toEqual({
    members: { 'trash.days': 'Too small' },
    text: undefined,
  });
  expect(toFaults(error, getSubject('places'))).toEqual({
    members: {},
    text: 'trash.days: Too small',
  });
  expect(toFaults(new Error('No server'), getSubject('places')).text).toBe('No server');
});

test('what was changed while other values were sent stays', () => {
  const sent = { 'server.loginPageMessage': 'Ask Ada', 'webhooks.hosts': ['nas.local'] };
  const changes = { ...sent, 'webhooks.hosts': ['nas.local'], 'map.enabled': false };
  expect(withoutSaved(changes, sent)).toEqual({ 'map.enabled': false });
  const later = { ...sent, 'server.loginPageMessage': 'Ask Bob' };
  expect(withoutSaved(later, sent)).toEqual({ 'server.loginPageMessage': 'Ask Bob' });
});

test('the provider must have an address and a client once people may log in with it', () => {
  const findPaths = (oauth: Partial<typeof DEFAULTS.oauth>) =>
    Object.keys(
      findMissing({ ...DEFAULTS, oauth: { ...DEFAULTS.oauth, ...oauth } }, getSubject('sign-on'))
        .members,
    );
  expect(findPaths({})).toEqual([]);
  expect(findPaths({ enabled: true })).toEqual(['oauth.issuerUrl', 'oauth.clientId']);
  expect(findPaths({ enabled: true, clientId: 'me' })).toEqual(['oauth.issuerUrl']);
  expect(findPaths({ enabled: true, clientId: 'me', issuerUrl: 'https://id.example' })).toEqual([]);
});
