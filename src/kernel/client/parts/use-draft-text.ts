import { useState } from 'react';

/** Text being typed on top of a committed value: follows the value when that changes from outside, keeps the focus. */
export function useDraftText(value: string): readonly [string, (typed: string) => void] {
  const [base, setBase] = useState(value);
  const [typed, setTyped] = useState(value);
  if (base !== value) {
    setBase(value);
    setTyped(value);
  }
  return [base === value ? typed : value, setTyped];
}
