import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { boardPosition } from '../position/position.contract.ts';

const Board = lazyPart(() => import('./board.tsx').then((module) => module.Board));

/** 点位档期. */
export const screen = { contract: boardPosition, component: () => <Board /> };
