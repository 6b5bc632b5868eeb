import { declareWalk } from './walk.ts';

declareWalk('en');
