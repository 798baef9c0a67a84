export { makeFilm } from './exports/film/make-film.ts';
export { createProject } from './projects/domain.ts';
export { type StudioProject, StudioProjectDto } from './projects/schemas.ts';
export { getIndexPath } from './render/layer-inputs.ts';
export { requireDecodable } from './render/decodable.ts';
export type { Source } from './render/sources.ts';
export { SourceUnavailable } from './render/source-unavailable.ts';
export { watchWhile } from './render/watch.ts';
export { getTranscodes, hasRoomForTranscode } from './streams/budget.ts';
