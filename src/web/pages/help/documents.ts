import backup from '../../../../appliance/docs/backup.md';
import changelog from '../../../../appliance/docs/changelog.md';
import cluster from '../../../../appliance/docs/cluster.md';
import commands from '../../../../appliance/docs/commands.md';
import configuration from '../../../../appliance/docs/configuration.md';
import development from '../../../../appliance/docs/development.md';
import externalLibraries from '../../../../appliance/docs/external-libraries.md';
import immich from '../../../../appliance/docs/immich.md';
import installation from '../../../../appliance/docs/installation.md';
import metadata from '../../../../appliance/docs/metadata.md';
import models from '../../../../appliance/docs/models.md';
import monitoring from '../../../../appliance/docs/monitoring.md';
import movingIn from '../../../../appliance/docs/moving-in.md';
import overview from '../../../../appliance/docs/README.md';
import reverseProxy from '../../../../appliance/docs/reverse-proxy.md';
import objectStorage from '../../../../appliance/docs/object-storage.md';
import scaling from '../../../../appliance/docs/scaling.md';
import search from '../../../../appliance/docs/search.md';
import security from '../../../../appliance/docs/security.md';
import signOn from '../../../../appliance/docs/sign-on.md';
import updates from '../../../../appliance/docs/updates.md';
import viewer from '../../../../appliance/docs/viewer.md';

/** The documentation by name, rendered by `native/documents.ts`. It is in English in every language of the page. */
export const documents: Readonly<Record<string, typeof overview>> = {
  '': overview,
  backup,
  changelog,
  cluster,
  commands,
  configuration,
  development,
  'external-libraries': externalLibraries,
  immich,
  installation,
  metadata,
  models,
  monitoring,
  'moving-in': movingIn,
  'object-storage': objectStorage,
  'reverse-proxy': reverseProxy,
  scaling,
  search,
  security,
  'sign-on': signOn,
  updates,
  viewer,
};
