import { useEffect, useRef, useState } from 'react';

/** Click guard: true for 3000 ms after `start`. Source: specification section 9. */
export function useClickGuard(milliseconds = 3000): readonly [guarded: boolean, start: () => void] {
  const [guarded, setGuarded] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const start = () => {
    clearTimeout(timer.current);
    setGuarded(true);
    timer.current = setTimeout(() => setGuarded(false), milliseconds);
  };
  return [guarded, start];
}
