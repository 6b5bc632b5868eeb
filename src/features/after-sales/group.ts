import { defineGroup } from '../../kernel/contract/group.ts';

/** 售后管理: cases and addresses join when their screens are built; refunds are mounted by groups 7 and 8. */
export const group = defineGroup({ path: '/afterSalesManage', screens: [] });
