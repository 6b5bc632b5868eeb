import { companyDepartments } from './department.server.ts';

/** Departments of all companies, read-only. */
export const registration = companyDepartments;
