import { COCO_LABELS } from '../src/inference/run/coco.ts';
import type { LabelSense, Subject, WordNet } from './wordnet.ts';

// The meanings of the labels of our models, and words that WordNet does not have for them.

/** Classes of ImageNet: animals come first, then things by the alphabet, then food, plants and the rest. */
const FIRST_THING = 398;
const FIRST_FOOD = 922;
const THINGS = ['artifact', 'food', 'communication', 'plant', 'top'] as const;
const FOOD = [
  'food',
  'plant',
  'object',
  'person',
  'artifact',
  'communication',
  'substance',
] as const;
const getSubjects = (index: number): readonly Subject[] =>
  index < FIRST_THING ? ['animal'] : index < FIRST_FOOD ? THINGS : FOOD;
const COCO_ANIMALS: readonly string[] = COCO_LABELS.slice(15, 25);

/** Tells the meaning of a label from others of the same name and subject: another name, or what it is a kind of. */
const NEAR: Readonly<Record<string, string>> = {
  barrel: 'cask',
  binder: 'ring-binder',
  bow: 'weapon',
  brass: 'plaque',
  cab: 'taxi',
  carousel: 'merry-go-round',
  cup: 'crockery',
  dock: 'docking facility',
  dome: 'roof',
  hammer: 'hand tool',
  hog: 'pig',
  iron: 'smoothing iron',
  liner: 'ocean liner',
  monitor: 'display',
  mortar: 'vessel',
  mortarboard: 'cap',
  paddle: 'boat paddle',
  peacock: 'peafowl',
  pinwheel: 'plaything',
  plane: "carpenter's plane",
  plate: 'entree',
  pot: 'flowerpot',
  radio: 'radio receiver',
  reel: 'winder',
  robin: 'American robin',
  schooner: 'sailing vessel',
  screen: 'CRT screen',
  screw: 'fastener',
  shield: 'buckler',
  slot: 'slot machine',
  stretcher: 'litter',
  swab: 'mop',
  television: 'television receiver',
  upright: 'upright piano',
  vault: 'roof',
  washer: 'washing machine',
  'wooden spoon': 'spoon',
};
/** Labels of objects that have another name in WordNet. */
const COCO_NAMES: Readonly<Record<string, string>> = {
  'sports ball': 'ball',
  'wine glass': 'wineglass',
  'potted plant': 'houseplant',
  skis: 'ski',
  donut: 'doughnut',
  remote: 'remote control',
  mouse: 'computer mouse',
  keyboard: 'computer keyboard',
  'hair drier': 'hand blower',
  'cell phone': 'cellular telephone',
  tie: 'necktie',
  tv: 'television receiver',
  'stop sign': 'street sign',
  couch: 'sofa',
  'teddy bear': 'teddy',
};

/** Names of each colour. */
export const COLOURS: Readonly<Record<string, readonly string[]>> = {
  black: ['black'],
  white: ['white'],
  gray: ['gray', 'grey'],
  red: ['red'],
  // The word alone is the fruit.
  orange: ['orange coloured', 'orange colored'],
  yellow: ['yellow', 'golden'],
  green: ['green'],
  blue: ['blue', 'turquoise'],
  purple: ['purple', 'violet', 'lilac'],
  pink: ['pink', 'rose'],
  brown: ['brown'],
  'black and white': ['black and white', 'monochrome'],
};
/** A rain barrel is a cistern, and that is a pool. */
export const MISLEADING = ['pool'];
/** Words of every day that WordNet gives other kinds, and scenes by the things that are seen in few others. */
export const EVERYDAY: Readonly<Record<string, readonly string[]>> = {
  bathroom: [
    'objects:toilet',
    'tags:toilet seat',
    'tags:bathtub',
    'tags:tub',
    'tags:shower curtain',
  ],
  bedroom: ['objects:bed', 'tags:four-poster', 'tags:quilt'],
  farm: ['tags:barn', 'tags:tractor', 'tags:thresher', 'tags:harvester', 'tags:hay', 'tags:oxcart'],
  harbor: ['tags:dock', 'tags:container ship', 'tags:yawl', 'tags:catamaran'],
  kitchen: [
    'objects:oven',
    'objects:microwave',
    'objects:refrigerator',
    'objects:toaster',
    'tags:stove',
  ],
  'living room': ['objects:couch', 'tags:studio couch', 'tags:entertainment center'],
  mountains: ['tags:alp', 'tags:cliff', 'tags:valley', 'tags:volcano'],
  office: ['tags:desk', 'tags:desktop computer', 'tags:monitor', 'objects:keyboard'],
  playground: ['tags:swing'],
  snow: [
    'tags:alp',
    'tags:ski',
    'tags:snowmobile',
    'tags:snowplow',
    'objects:skis',
    'objects:snowboard',
  ],
  street: [
    'tags:street sign',
    'tags:traffic light',
    'tags:streetcar',
    'objects:traffic light',
    'objects:stop sign',
    'objects:fire hydrant',
    'objects:parking meter',
  ],
  surfing: ['objects:surfboard'],
  wedding: ['tags:gown', 'tags:groom'],
  beach: ['tags:seashore', 'tags:sandbar'],
  beer: ['tags:beer bottle', 'tags:beer glass'],
  bike: ['objects:bicycle', 'tags:mountain bike'],
  bride: ['tags:gown', 'tags:groom'],
  couple: ['objects:person'],
  jeans: ['tags:jean'],
  lake: ['tags:lakeside'],
  man: ['objects:person'],
  sea: ['tags:seashore', 'tags:coral reef', 'tags:breakwater'],
  wine: ['tags:red wine', 'tags:wine bottle', 'objects:wine glass'],
  woman: ['objects:person'],
};

/** Returns the labels of both models, with what each means. */
export function listSenses(wordNet: WordNet, tagLabels: readonly string[]): LabelSense[] {
  const tags = tagLabels.map((label, index) => ({
    key: `tags:${label}`,
    sense: wordNet.findSense(label, getSubjects(index), NEAR[label]),
  }));
  const objects = COCO_LABELS.filter((label) => label !== '').map((label) => ({
    key: `objects:${label}`,
    sense: wordNet.findSense(
      COCO_NAMES[label] ?? label,
      COCO_ANIMALS.includes(label) ? ['animal'] : THINGS,
    ),
  }));
  return [...tags, ...objects].map(({ key, sense }) => {
    if (sense === undefined) throw new Error(`WordNet does not know ${key}`);
    return { key, name: key.slice(key.indexOf(':') + 1), sense };
  });
}
