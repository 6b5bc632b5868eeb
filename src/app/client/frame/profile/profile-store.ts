import { create } from 'zustand';
import { openLayer } from '../layers.ts';

/** Parts of the profile drawer. */
export type ProfilePart =
  'basic' | 'devices' | 'signIns' | 'permissions' | 'preferences' | 'notices' | 'views' | 'drafts';

interface ProfileState {
  readonly part: ProfilePart;
}

/** Which part of the profile is shown. */
export const useProfile = create<ProfileState>(() => ({ part: 'basic' }));

/** Opens the profile drawer at a part. */
export function openProfile(part: ProfilePart): void {
  useProfile.setState({ part });
  openLayer('profile');
}
