/** Who signed in last in this browser; the only personal data in local storage. */
export interface StoredUser {
  readonly username: string;
  readonly name: string;
  readonly id: string;
}

/** The stored flag: `"true"` while the password must be changed, `"false"` afterwards, null before the first sign-in. */
export function readMustChange(): string | null {
  return localStorage.getItem('mustChangePassword');
}

/** Writes the stored flag as the string the navigation rules compare with. */
export function writeMustChange(mustChange: boolean): void {
  localStorage.setItem('mustChangePassword', mustChange ? 'true' : 'false');
}

/** The stored user, or undefined. */
export function readUser(): StoredUser | undefined {
  try {
    const stored = JSON.parse(localStorage.getItem('userInfo') ?? 'null') as StoredUser | null;
    return stored ?? undefined;
  } catch {
    return undefined;
  }
}

/** Writes `userInfo`. */
export function writeUser({ username, name, id }: StoredUser): void {
  localStorage.setItem('userInfo', JSON.stringify({ username, name, id }));
}

/** Forgets who was signed in, and the flag that was about that account. */
export function forgetUser(): void {
  localStorage.removeItem('userInfo');
  localStorage.removeItem('mustChangePassword');
}
