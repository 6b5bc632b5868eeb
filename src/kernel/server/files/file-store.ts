import path from 'node:path';
import { diskStore, type FileStore } from './disk-store.ts';
import type { PlatformConfig } from '../platform.ts';
import { s3Store } from './s3-store.ts';

const stores = new WeakMap<PlatformConfig, FileStore>();

/** The file store of the configuration: the disk, or the bucket STORAGE_URL names. Throws when that address is not usable. */
export function openFileStore(config: PlatformConfig): FileStore {
  let store = stores.get(config);
  if (!store) {
    const folder = path.join(config.dataDir, 'files');
    store = config.storageUrl ? s3Store(config.storageUrl, folder) : diskStore(folder);
    stores.set(config, store);
  }
  return store;
}
