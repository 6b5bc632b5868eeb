import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { occupancyBinding } from '../../public-resource/position/position-occupancy.server.ts';
import { spaceOccupancy } from './space.contract.ts';

/** Holds as they are released and prolonged beside their space. */
export const registration = bindResource(spaceOccupancy, {
  ...occupancyBinding,
  where: 'EXISTS (SELECT FROM space x WHERE x.id = t.position_id)',
}).registration;
