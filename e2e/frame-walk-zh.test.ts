import { declareWalk } from './walk.ts';

declareWalk('zh');
