export { getPersonCards } from './thumbnail/cards.store.ts';
export { changeFace, recordCorrection } from './corrections/corrections.store.ts';
export { assignFace, lockFace, lockPerson } from './corrections/decisions.domain.ts';
export { enqueuePersonThumbnails } from './thumbnail/render.domain.ts';
export { listNamedPeople, findPeopleByName } from './domain.ts';
export { BoundingBoxDto, PersonResponseDto } from './schemas.ts';
export { deletePersonVectors } from './clustering/similarity.store.ts';
export { findPeopleById } from './store.ts';
export { pickBox, fromBox, isSameBox, toBox, toPerson } from './face-box.ts';
