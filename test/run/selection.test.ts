import { describe, expect, test } from 'bun:test';
import { formatCommand, getTier, listFiles, listNeeds, parseWords } from './selection.ts';

const choose = (...words: string[]) => listFiles(parseWords(words, false));

describe('a run', () => {
  test('has the files of its tier, and every file is of one', () => {
    const [all, pages, crash] = ['all', 'pages', 'crash'].map((tier) => choose(`--tier=${tier}`));
    const rest = choose();
    expect(new Set([...rest, ...pages!, ...crash!])).toEqual(new Set(all));
    expect(rest.length + pages!.length + crash!.length).toBe(all!.length);
    expect(all).toContain('src/web/base/format.test.ts');
    expect(pages).toContain('test/e2e/page-albums.test.ts');
    expect(crash).toContain('test/crash/kill.test.ts');
    expect(crash).toContain('src/db/cluster-faults.test.ts');
    expect(rest).toContain('test/e2e/binary.test.ts');
  });

  test('has the files that are named, whatever their tier', () => {
    expect(choose('test/e2e/page-albums', 'test/growth')).toEqual([
      'test/e2e/page-albums.test.ts',
      'test/growth.test.ts',
    ]);
    expect(choose('--tier=pages', 'album').map(getTier)).not.toContain('test');
    expect(choose('no such file')).toEqual([]);
  });

  test('is repeated by its command', () => {
    const selection = parseWords(['--tier=pages', '--seed=7', 'album', '-t', 'a name'], false);
    expect(selection).toEqual({
      tier: 'pages',
      seed: '7',
      paths: ['album'],
      flags: ['-t', 'a name'],
    });
    expect(formatCommand({ ...selection, flags: [] })).toBe(
      "make test-pages ARGS='--seed=7 album'",
    );
    expect(parseWords([], false).seed).toBe('1');
    expect(parseWords([], true).seed).toMatch(/^\d{2,}$/);
    expect(() => parseWords(['--tier=slow'], false)).toThrow("There is no tier 'slow'.");
  });

  test('builds what its files use, and nothing else', () => {
    expect(listNeeds(choose('src/areas/albums'))).toEqual([]);
    expect(listNeeds(['test/e2e/binary.test.ts'])).toEqual(['dist/safelight']);
    expect(listNeeds(['src/inference/inference.test.ts'])).toEqual(['models']);
  });
});
