import type { Permission } from '../src/access/permissions.ts';

/**
 * Functions by which one area acts in another, as area.name, with the permissions of the direct act: those whose names say
 * that they change something. The operations of an area that calls them name these permissions, too.
 */
export const ACTS: Readonly<Record<string, readonly Permission[]>> = {
  'albums.addAssets': ['albumAsset.create'],
  'albums.addToAlbums': ['albumAsset.create'],
  'albums.findOrCreateAlbum': ['album.create'],
  'albums.findOrCreateAlbumFrom': ['album.create', 'album.update'],
  'albums.findOrCreateSharedAlbum': ['album.create', 'albumUser.create'],
  'albums.removeAssets': ['albumAsset.delete'],
  'albums.updateAlbum': ['album.update'],
  'assets.archiveAssets': ['asset.update'],
  'assets.mergeAssets': ['asset.update'],
  'assets.unarchiveAssets': ['asset.update'],
  'assets.updateAsset': ['asset.update'],
  'assets.updateAssets': ['asset.update'],
  'downloads.createZipStream': ['asset.download'],
  // From a folder of the server, into the library of any account.
  'imports.importFolder': ['library.create', 'asset.upload'],
  'imports.importFromImmich': ['asset.upload', 'asset.update'],
  'people.assignFace': ['face.update'],
  'people.nameUnnamedPerson': ['person.update'],
  'physical-deduplication.startApply': ['job.create'],
  'stacks.stackBurst': ['stack.create'],
  'stacks.stackUnlessStacked': ['stack.create'],
  'studio.createProject': ['all'],
  'system-config.changeConfig': ['adminConfig.update'],
  'tags.tagManyAssets': ['tag.asset'],
  'tags.untagAssets': ['tag.asset'],
  'tags.upsertTags': ['tag.create'],
  'trash.moveItems': ['library.update'],
  'trash.trashForTool': ['asset.delete'],
  'uploads.publishLocalFile': ['asset.upload'],
  'uploads.publishLocalLivePhoto': ['asset.upload'],
};

/** Acts with items of the caller's own in operations for which Immich's document, or the specification, names one permission. */
export const AS_NAMED: ReadonlySet<string> = new Set([
  'duplicates: assets.mergeAssets',
  'duplicates: trash.trashForTool',
  'memories: downloads.createZipStream',
  'memories: uploads.publishLocalFile',
]);

/** The same kind of functions whose work is part of every act that calls them, or of no request at all. */
export const PARTS: ReadonlySet<string> = new Set([
  'admin-users.insertUser',
  'albums.announceAlbum',
  'albums.recordAddition',
  'albums.removePartnerAssetsFromAlbums',
  'albums.removePartnerAssetsFromLinks',
  'assets.attachVideo',
  'assets.createFileFinder',
  'assets.createPeopleLookup',
  'assets.createScratchPath',
  'assets.createStackLookup',
  'assets.importFaces',
  'assets.releaseClips',
  'assets.renderEdits',
  'assets.renderImage',
  'assets.renderVideo',
  'assets.setMembers',
  'assets.startAnalysis',
  'assets.startRequeue',
  'assets.supplementAsset',
  'assets.transcodeVideo',
  'auth.openSession',
  'cluster-groups.deleteDesertedRequests',
  'duplicate-sets.assignDuplicateId',
  'duplicate-sets.saveKeepDecision',
  'enrichment-queue.transcribeVideo',
  'faces.inheritPeople',
  'imports.createImmichClient',
  'imports.createReport',
  'imports.createSidecarFinder',
  'mail.queueMail',
  'mail.queueWorkflowMail',
  'mail.sendInvitationMail',
  'memories.mergePetMemories',
  'notifications.notify',
  'notifications.notifyAdmins',
  'notifications.notifyOfNewDevice',
  'openid.createAuthorizationUrl',
  'people.changeFace',
  'people.deletePersonVectors',
  'people.enqueuePersonThumbnails',
  'people.reclusterAll',
  'people.recordCorrection',
  'people.renderPerson',
  'people.upsertPeopleByName',
  'search.saveTextPart',
  'sessions.deleteSession',
  'sessions.deleteSessions',
  'sessions.startSession',
  'sessions.updateSession',
  'studio.makeFilm',
  'system-config.applyDifferences',
  'system-config.applyProfile',
  'tags.addTagsToAsset',
  'tags.removeTagsFromAsset',
  'tags.upsertFileTags',
  'trash.deleteAssets',
  'trash.deleteAssetsOfLibrary',
  'trash.deleteAssetsOfOwner',
  'trash.deleteAssetsWithFiles',
  'trash.releaseOriginals',
  'trash.restoreAfterUpload',
  'trash.trashItemsWithOriginal',
  'uploads.copyLocalFile',
  'uploads.publishSidecar',
  'uploads.storeSidecar',
  'users.createUnknownUserError',
  'users.saveUser',
  'users.updatePreferences',
  'workflow-events.advanceRuns',
  'workflow-events.deleteEvent',
  'workflow-events.moveEvent',
  'workflow-events.recordEvents',
  'workflow-events.setEventDepth',
]);

/**
 * Operations whose request names a folder of the server or an address to connect to, with the permission of those who may
 * have it read or reached. Paths of the library, which are compared only, are not among them.
 */
export const PLACES: Readonly<Record<string, Permission | 'open'>> = {
  'PUT /system-config': 'systemConfig.update',
  'PUT /admin/config': 'adminConfig.update',
  'PUT /admin/config/safelight': 'adminConfig.update',
  // The answer of the provider that an administrator has set: only its parameters are read.
  'POST /oauth/callback': 'open',
  'POST /oauth/link': 'all',
  // To public and private addresses but those of this machine and its database.
  'POST /move-ins': 'asset.upload',
  'POST /move-ins/folder': 'library.create',
  'POST /admin/notifications/test-email': 'all',
  'PUT /admin/notifications/mail': 'all',
  'POST /libraries': 'library.create',
  'PUT /libraries/{id}': 'library.update',
  'POST /libraries/{id}/validate': 'all',
  'GET /libraries/folders': 'library.read',
};

/** The ones that are not about folders of the server, and not for administrators only. */
export const ADDRESSES: ReadonlySet<string> = new Set([
  'POST /oauth/callback',
  'POST /oauth/link',
  'POST /move-ins',
]);
