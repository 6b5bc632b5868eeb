import { defineMustShow } from '../../testing/must-show.ts';

export const mustShow = defineMustShow({
  group: '02',
  lines: {
    1: {
      tests: [
        [
          'src/features/admin-sys/staff/staff.test.ts',
          'Must show 1: 李敏 with project 1: the one-time password is shown once, the first sign-in asks for a new one, afterwards every project picker shows project 1 only',
        ],
      ],
    },
    2: {
      tests: [
        [
          'src/features/admin-sys/permission-group/permission-group.test.ts',
          'Must show 2: who holds 40 menus may tick these 40; a 41st through the API is refused by name and nothing is saved',
        ],
      ],
    },
    3: {
      tests: [
        [
          'src/features/admin-sys/permission-group/permission-group.test.ts',
          'Must show 3: own rows of the one menu, all rows of the other (staff stand for work orders, posts for notices, which are not built yet)',
        ],
      ],
    },
    4: {
      tests: [
        [
          'src/features/admin-sys/permission-group/permission-group.test.ts',
          'Must show 4: the preview of removing an export element says 3 staff lose it; after the save each open session loses the button and its export call answers 403 within a second (the export of staff stands for that of work orders, not built yet)',
        ],
      ],
    },
    5: {
      tests: [
        [
          'src/features/admin-sys/permission-group/permission-group.test.ts',
          'Must show 5: the second save is refused with the difference, the first change stays',
        ],
      ],
    },
    6: {
      tests: [
        [
          'src/features/admin-sys/permission-group/permission-group.test.ts',
          'Must show 6: after a restore the permissions equal those of then; two history rows, both with their reason',
        ],
      ],
    },
    7: {
      tests: [
        [
          'src/features/admin-sys/overtime/overtime-approval.test.ts',
          'Must show 7: archiving a staff with 4 open items and 2 approvals is refused with these numbers; after the handover to 王强 the 4 + 2 are his, the account cannot sign in, the name stays on old records (direct reports stand for work orders, not built yet)',
        ],
      ],
    },
    8: {
      tests: [
        [
          'src/features/admin-sys/staff/staff.test.ts',
          'Must show 8 (Bad input, removing the last administrator): the only one cannot be disabled; of two who disable each other exactly one succeeds',
        ],
      ],
    },
    9: {
      tests: [
        [
          'src/features/admin-sys/staff/staff-import.test.ts',
          'Must show 9 (Bad input, imports with duplicate accounts and unknown departments): 100 staff with 3 bad rows: the dry run names rows and columns and writes nothing; the good ones follow',
        ],
      ],
    },
    10: {
      tests: [
        [
          'src/features/admin-sys/menu/menu.test.ts',
          'Must show 10: a new title is in every open side menu within a second, in both languages, and stays over a release',
        ],
        [
          'e2e/admin-sys.test.ts',
          'Must show 10: a menu title changed to 工单中心 / Work order centre stands in the open sidebar of both languages without a reload; the form refuses a language without title',
        ],
      ],
    },
    11: {
      tests: [
        [
          'src/features/admin-sys/whitelist/whitelist-screen.test.ts',
          'Must show 11 (Bad input, ranges that lock out the editor): enforcing from an uncovered address is refused and changes nothing; from a covered one works',
        ],
        [
          'src/features/admin-sys/whitelist/whitelist-screen.test.ts',
          'Must show 11: an account limited to 10.0.0.0/8 is refused from 192.168.1.5 and the hit is logged',
        ],
      ],
    },
    12: {
      tests: [
        [
          'src/features/admin-sys/whitelist/whitelist-screen.test.ts',
          'Must show 12: skip_code saves this account the code and no other; five wrong passwords still lock it',
        ],
      ],
    },
    13: {
      tests: [
        [
          'src/features/admin-sys/overtime/overtime.test.ts',
          'Must show 13: 3.5 h are credited, 4 h refused, 2 h leave 1.5 h, the void gives them back to the same lot',
        ],
      ],
    },
    14: {
      tests: [
        [
          'src/features/admin-sys/overtime/overtime.test.ts',
          'Must show 14: two requests of 3 h at once on 3.5 h: one accepted, one refused, never negative',
        ],
      ],
    },
    15: {
      tests: [
        [
          'src/features/admin-sys/permission-group/effective.test.ts',
          'Must show 15: the rights at yesterday’s date differ from today’s exactly by the change made since',
        ],
        [
          'src/features/admin-sys/staff/staff.test.ts',
          'Must show 15: another tenant’s staff answers 404, all users 403 to a tenant',
        ],
      ],
    },
  },
  badInput: {
    'granting what one does not hold': [
      [
        'src/features/admin-sys/permission-group/permission-group.test.ts',
        'Bad input, granting what one does not hold: an administrator with some menus may give these only; one more through the API is refused by name and nothing is saved',
      ],
      [
        'src/features/admin-sys/staff/staff-reach.test.ts',
        'Bad input, granting what one does not hold: an HR clerk',
      ],
    ],
    'cycles in departments': [
      [
        'src/features/admin-sys/department/department.test.ts',
        'Bad input, cycles in departments: nothing moves below itself, also when two moves meet',
      ],
      [
        'src/features/admin-sys/department/department.test.ts',
        'Bad input, cycles in departments: an update cannot hang a department below itself',
      ],
    ],
    'cycles in menus': [
      [
        'src/features/admin-sys/menu/menu.test.ts',
        'Bad input, cycles in menus: order changes within one directory only, a parent is no input, and a ring in the data hangs nothing',
      ],
    ],
    'cycles in groups': [
      [
        'src/features/admin-sys/permission-group/permission-tree.test.ts',
        'Bad input, cycles in groups: two moves at once cannot close a circle',
      ],
    ],
    'removing the last administrator': [
      [
        'src/features/admin-sys/permission-group/permission-group.test.ts',
        'Bad input, removing the last administrator: two who remove each other at once, one stays',
      ],
      [
        'src/features/admin-sys/permission-group/permission-tree.test.ts',
        'Bad input, removing the last administrator: whoever would lose the own administration is refused',
      ],
      [
        'src/features/admin-sys/staff/staff.test.ts',
        'Must show 8 (Bad input, removing the last administrator): the only one cannot be disabled; of two who disable each other exactly one succeeds',
      ],
    ],
    'disabling oneself': [
      [
        'src/features/admin-sys/staff/staff.test.ts',
        'Bad input, disabling oneself: oneself can be neither disabled, archived nor reset',
      ],
    ],
    'deleting what is in use': [
      [
        'src/features/admin-sys/department/department.test.ts',
        'Bad input, deleting what is in use: a department with staff or children is neither disabled nor deleted; the button is not offered',
      ],
      [
        'src/features/admin-sys/group-type/group-type.test.ts',
        'Bad input, deleting what is in use: a type with groups stays; without an English name the English page shows the name',
      ],
      [
        'src/features/admin-sys/menu/menu.test.ts',
        'Bad input, deleting what is in use: a built-in menu is not deleted, and the menus of administration are not hidden',
      ],
      [
        'src/features/admin-sys/menu/menu.test.ts',
        'Bad input, deleting what is in use: an own directory with a link: made, granted, listed when deleting is refused, deleted',
      ],
      [
        'src/features/admin-sys/permission-group/permission-tree.test.ts',
        'Bad input, deleting what is in use: groups made, changed, copied and deleted with both texts of every refusal',
      ],
      [
        'src/features/admin-sys/station/station.test.ts',
        'Bad input, deleting what is in use: a post with staff is not deleted; emptied it is, and an update keeps what was not sent',
      ],
    ],
    'imports with duplicate accounts': [
      [
        'src/features/admin-sys/staff/staff-import.test.ts',
        'Must show 9 (Bad input, imports with duplicate accounts and unknown departments): 100 staff with 3 bad rows: the dry run names rows and columns and writes nothing; the good ones follow',
      ],
    ],
    'imports with unknown departments': [
      [
        'src/features/admin-sys/department/department.test.ts',
        'Bad input, imports with unknown departments: bad rows are named with their column, nothing is written; rows may hang below later ones',
      ],
    ],
    'ranges that lock out the editor': [
      [
        'src/features/admin-sys/whitelist/whitelist-screen.test.ts',
        'Must show 11 (Bad input, ranges that lock out the editor): enforcing from an uncovered address is refused and changes nothing; from a covered one works',
      ],
      [
        'src/features/admin-sys/whitelist/whitelist-screen.test.ts',
        'Bad input, ranges that lock out the editor: own rows that do not cover the own address are refused',
      ],
    ],
    'expired memberships': [
      [
        'src/features/admin-sys/permission-group/permission-tree.test.ts',
        'Bad input, expired memberships: a membership with a last day ends by itself and is taken away with a notice',
      ],
      [
        'src/features/admin-sys/staff/staff-views.test.ts',
        'Bad input, expired memberships in the middle of a request: what waited beyond the end writes nothing, the next call has the right no more',
      ],
    ],
  },
});
