import { expect, test } from 'bun:test';
import { omitNoise } from './noise.ts';

// Texts and confidences as PP-OCRv5 mobile gave them for rendered lines.

const isKept = (text: string, score: number): boolean => omitNoise([{ text, score }]).length === 1;

test.each([
  ['Магазин открыт ежедневно', 'Mara3nH oTKpbIT exKeAHeBHo', 0.843],
  ['Добро пожаловать в Москву', 'Aopo no>kanoBaTb B MockBy', 0.866],
  ['Осторожно двери закрываются', 'OcTopoxHo ABepn 3aKpbIBaroTcg', 0.817],
  ['Аптека', 'AnTeKa', 0.941],
  ['Школа', '山kona', 0.923],
  ['Вхід заборонено', 'Bxiπ 3aopoHeHo', 0.957],
  ['Θεσσαλονίκη', 'Θεσσαλovíkn', 0.84],
  ['Πλατεία Συντάγματος', 'nλαteiα ΣuvtáyμαtOS', 0.683],
  ['Größe', 'GröBe', 0.932],
  ['Größe', 'GroBe', 0.854],
  ['Weiß', 'WeiB', 0.941],
  ['Süßwaren', 'Sülßwaren', 0.842],
  ['style Barleywine', 'Eongish tyle Barlyine', 0.74],
])('%s, read as %s, is left out', (_written, text, score) => {
  expect(isKept(text, score)).toBeFalse();
});

test.each([
  ['Müllabfuhr jeden Donnerstag früh', 0.93],
  ['Straßenbahn Haltestelle', 0.96],
  ['Zażółć gęślą jaźń', 0.93],
  ['Crème brûlée à la vanille', 0.967],
  ['Добро пожаловать в Москву', 0.98],
  ['Καλώς ήρθατε στην Αθήνα', 0.95],
  ['欢迎来到北京', 0.7],
  ['T恤 5G网络', 0.95],
  ['TOTAL $8.37', 0.93],
  ['S/N: C02XK1ABJGH5', 0.85],
  ['P.U.N.015', 0.7],
  ['12:34', 0.55],
  ['WPA2-PSK key: hT7kQ2xR', 0.93],
  ['xK9pL2mQ', 0.94],
  ['MwSt 19% 1,60', 0.91],
  ['RE-2024-0815', 0.9],
  ['16 GiB', 0.9],
  ['10kΩ 5μm', 0.9],
  ['GmbH & Co. KG', 0.87],
  ['MacBook von McDonald', 0.87],
  ['LinkedIn', 0.95],
  ['k8s b2b mp3', 0.9],
  ['Szczecin', 0.82],
  ['guess', 0.51],
])('%s stays', (text, score) => {
  expect(isKept(text, score)).toBeTrue();
});

test('on a page of noise only what is read surely stays', () => {
  const lines = [
    { text: 'Mara3nH oTKpbIT exKeAHeBHo', score: 0.843 },
    { text: 'PeMoHT o6yBn', score: 0.878 },
    { text: 'nokynky', score: 0.9 },
    { text: '12,50', score: 0.8 },
    { text: 'Coca Cola', score: 0.99 },
  ];
  expect(omitNoise(lines).map(({ text }) => text)).toEqual(['12,50', 'Coca Cola']);
  expect(isKept('nokynky', 0.9)).toBeTrue();
});
