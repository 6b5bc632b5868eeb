import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { boardOccupancy } from '../position/position.contract.ts';
import { occupancyBinding } from '../position/position-occupancy.server.ts';

/** Holds as the board releases and prolongs them. */
export const registration = bindResource(boardOccupancy, occupancyBinding).registration;
