/**
 * The first part of every query key, one for each subject. An invalidation of `keys.people` reaches
 * all data whose key begins with it; `queries.ts` of a folder adds the rest.
 */
export const keys = {
  activities: ['activities'],
  albums: ['albums'],
  apiKeys: ['api-keys'],
  archive: ['archive'],
  assets: ['assets'],
  backup: ['backup'],
  config: ['config'],
  devices: ['devices'],
  documents: ['documents'],
  edits: ['edits'],
  duplicates: ['duplicates'],
  explore: ['explore'],
  faces: ['faces'],
  integrity: ['integrity'],
  jobs: ['jobs'],
  libraries: ['libraries'],
  links: ['links'],
  map: ['map'],
  memories: ['memories'],
  memoryExports: ['memory-exports'],
  moments: ['moments'],
  notifications: ['notifications'],
  partners: ['partners'],
  people: ['people'],
  pets: ['pets'],
  pin: ['pin'],
  pins: ['pins'],
  plugins: ['plugins'],
  preferences: ['preferences'],
  results: ['results'],
  search: ['search'],
  server: ['server'],
  stacks: ['stacks'],
  tags: ['tags'],
  timeline: ['timeline'],
  towns: ['towns'],
  trash: ['trash'],
  trashReview: ['trash-review'],
  users: ['users'],
  workflows: ['workflows'],
} as const;

/** Everything that may change when photos come, go or move. */
export const PHOTOS = [keys.timeline, keys.results, keys.albums, keys.trash, keys.map];
