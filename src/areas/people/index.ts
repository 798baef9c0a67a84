export { changeFace, recordCorrection } from './corrections.store.ts';
export { giveFace, holdFace, holdPerson } from './decisions.domain.ts';
export { renderPeople } from './render.domain.ts';
export { namedPeople, peopleByName } from './domain.ts';
export { clusterFaces } from './jobs.ts';
export { BoundingBoxDto, PersonResponseDto } from './schemas.ts';
export { forgetVectors } from './similarity.store.ts';
export { findPeopleById } from './store.ts';
export { boxOf, fromBox, isSameBox, toBox, toPerson } from './view.ts';
