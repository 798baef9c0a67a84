import { expect, test } from 'bun:test';
import { findWrittenText } from './written-text.ts';

test.each([
  ['shirt that says puma', 'puma', 'shirt '],
  ['a sign saying "No Entry" in Rome', 'No Entry', 'a sign  in Rome'],
  ['mug with the words best dad', 'best dad', 'mug '],
  ['truck with FIRE written on it', 'FIRE', 'truck '],
  ['Schild mit der Aufschrift Ausfahrt frei in Berlin', 'Ausfahrt frei', 'Schild  in Berlin'],
  ['Tasse, auf der Oma steht', 'Oma', 'Tasse, '],
  ['cartel que dice salida', 'salida', 'cartel '],
  ['camiseta con la palabra Puma', 'Puma', 'camiseta '],
  ['panneau où il est écrit sortie', 'sortie', 'panneau '],
  ["maglietta con la scritta 'Ciao bella'", 'Ciao bella', 'maglietta '],
  ['placa com a inscrição saída', 'saída', 'placa '],
  ['shirt waar puma op staat', 'puma', 'shirt '],
  ['bord met de tekst uitrit vrijlaten', 'uitrit vrijlaten', 'bord '],
  ['carro com police escrito', 'police', 'carro '],
  ['bord met uitgang erop', 'uitgang', 'bord '],
  ['T-shirt avec Puma écrit dessus', 'Puma', 'T-shirt '],
  ['samochód z napisem fire rescue', 'fire rescue', 'samochód '],
  ['знак с надписью Стоп', 'Стоп', 'знак '],
  ['policeと書いてある車', 'police', '車'],
  ['「出口」と書かれた看板', '出口', '看板'],
  ['写着出口的牌子', '出口', '的牌子'],
  ['写有“police”字样的车', 'police', '的车'],
])('%p names the text', (query, text, rest) => {
  const found = findWrittenText(query);
  expect(found && query.slice(...found.text)).toBe(text);
  expect(found && query.slice(0, found.start) + query.slice(found.end)).toBe(rest);
});

test.each([
  'dogs that play',
  'Mia sagt nein',
  'foto con letras',
  'z napisem',
  'wo ist Leon',
  '有狗的照片',
  '書いている人',
  'letters of my mother',
])('%p names none', (query) => {
  expect(findWrittenText(query)).toBeUndefined();
});
